#include "engine/kernels/isa.h"

#include "engine/kernels/kernel_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace alcove {
namespace {

TEST(Isas, ScalarAlwaysRunsAndIsLast) {
    ASSERT_FALSE(runnable_isas().empty());
    EXPECT_EQ(runnable_isas().back(), Isa::Scalar);
}

TEST(Isas, AutoIsTheBestAndEveryRunnableNameIsAccepted) {
    EXPECT_EQ(*choose_isa("auto"), runnable_isas().front());
    for (const Isa isa : runnable_isas()) {
        const Result<Isa> chosen = choose_isa(isa_name(isa));
        ASSERT_TRUE(chosen.has_value()) << isa_name(isa);
        EXPECT_EQ(*chosen, isa);
        EXPECT_EQ(kernel_table(isa).isa, isa);
    }
}

TEST(Isas, WhatIsLackingIsUnsupportedAndAnUnknownNameInvalid) {
    for (const std::string name :
         {"avx2", "avxvnni", "avx512", "avx512vnni", "amx", "neon", "dotprod", "i8mm"}) {
        const Result<Isa> chosen = choose_isa(name);
        if (!chosen.has_value()) {
            EXPECT_EQ(chosen.error().code, Errc::Unsupported);
            EXPECT_NE(chosen.error().message.find(name), std::string::npos);
        }
    }
    for (const std::string name : {"", "AVX2", "sse", "scalar "}) {
        const Result<Isa> chosen = choose_isa(name);
        ASSERT_FALSE(chosen.has_value()) << name;
        EXPECT_EQ(chosen.error().code, Errc::InvalidArgument);
    }
}

TEST(Isas, EveryTableHasEveryKernel) {
    for (const Isa isa : runnable_isas()) {
        const KernelTable& table = kernel_table(isa);
        EXPECT_TRUE(table.quantize_row && table.matvec && table.matmul &&
                    table.matmul_scratch_bytes && table.dequantize_row && table.rms_norm &&
                    table.add_scaled && table.silu_mul && table.gelu_mul && table.rope &&
                    table.store_kv && table.attention && table.attention_scratch_bytes &&
                    table.attention_partial && table.attention_merge)
            << isa_name(isa);
    }
}

} // namespace
} // namespace alcove
