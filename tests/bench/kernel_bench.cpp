// alcove-kernel-bench: speed of the kernels of every runnable instruction set on one thread.
//   alcove-kernel-bench [isa | all] [type | all | attention] [rows] [columns]
// Reads a matrix that fits the shared cache but not a core's own. Machines are noisy: the best of
// several rounds by processor time is printed, and only ratios within one run mean something.

#include "engine/kernels/kernel_table.h"
#include "engine/quant/half.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace alcove {
namespace {

/// Processor seconds of this thread: other programs on the machine count less.
double thread_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Best time of a call over at least `min_seconds` of calls.
template <typename F> double best_seconds(F&& call, double min_seconds = 0.15) {
    call();
    double best = 1e9;
    for (double spent = 0; spent < min_seconds;) {
        const double begin = thread_seconds();
        call();
        const double took = thread_seconds() - begin;
        best = std::min(best, took);
        spent += took;
    }
    return best;
}

std::uint8_t* aligned(std::vector<std::uint8_t>& storage, std::size_t bytes) {
    storage.resize(bytes + 64);
    const auto address = reinterpret_cast<std::uintptr_t>(storage.data());
    return storage.data() + (64 - address % 64) % 64;
}

void bench_products(const KernelTable& table, const QuantTraits& traits, std::size_t rows,
                    std::size_t cols) {
    cols = cols / traits.block_size * traits.block_size;
    const std::size_t stride = row_bytes(traits, cols);
    std::vector<std::uint8_t> w_storage, x_storage, scratch_storage;
    std::uint8_t* w = aligned(w_storage, rows * stride);
    std::memset(w, 0x31, rows * stride); // as binary16: an ordinary small number
    const ActType act = act_type(traits.type, false);
    constexpr std::int32_t kTokens = 512;
    const std::size_t x_bytes = act_row_bytes(act, cols);
    std::uint8_t* x = aligned(x_storage, kTokens * x_bytes);
    std::mt19937 rng(1);
    std::normal_distribution<float> normal;
    std::vector<float> raw(cols);
    for (std::int32_t t = 0; t < kTokens; ++t) {
        for (float& value : raw)
            value = normal(rng);
        table.quantize_row(act, cols, raw.data(), x + static_cast<std::size_t>(t) * x_bytes);
    }
    std::uint8_t* scratch = aligned(scratch_storage, table.matmul_scratch_bytes(cols));
    std::vector<float> y(rows * kTokens);
    const auto n = static_cast<std::int64_t>(rows);
    const double one =
        best_seconds([&] { table.matvec(traits.type, act, cols, w, stride, 0, n, x, y.data()); });
    std::printf("%-11s %-5s %zux%zu  decode %6.2f GB/s", std::string(isa_name(table.isa)).c_str(),
                std::string(traits.name).c_str(), rows, cols,
                1e-9 * static_cast<double>(rows * stride) / one);
    for (const std::int32_t tokens : {8, 64, 512}) {
        const double many = best_seconds([&] {
            table.matmul(traits.type, act, cols, w, stride, 0, n, x, x_bytes, tokens, y.data(),
                         rows, scratch);
        });
        std::printf("  %d tokens %6.1f GOPS", tokens,
                    2e-9 * static_cast<double>(rows * cols) * tokens / many);
    }
    std::printf("\n");
}

/// One KV head with its group, binary16 cache.
void bench_attention(const KernelTable& table, std::int32_t group, std::int32_t dim,
                     std::int32_t depth) {
    const auto head = static_cast<std::size_t>(dim);
    constexpr std::int32_t kRows = 512;
    // As many caches as many layers have, used in turn, so that none stays in a core's own cache.
    constexpr std::size_t kCaches = 48;
    const std::size_t cache_values = 2 * static_cast<std::size_t>(depth + kRows) * head;
    std::vector<std::uint16_t> cache(kCaches * cache_values, f32_to_f16(0.1F));
    std::size_t turn = 0;
    std::vector<float> q(kRows * static_cast<std::size_t>(group) * head, 0.2F), out(q.size());
    std::vector<std::uint8_t> scratch;
    AttentionArgs args;
    args.q = q.data();
    args.q_stride = args.out_stride = static_cast<std::size_t>(group) * head;
    args.n_q = 1;
    args.group = group;
    args.head_dim = dim;
    const auto next_cache = [&] {
        const std::uint16_t* keys = cache.data() + turn++ % kCaches * cache_values;
        args.k = keys;
        args.v = keys + cache_values / 2;
    };
    args.kv_stride = 2 * head;
    args.kv_type = 1;
    args.first_pos = depth;
    args.scale = 0.125F;
    args.out = out.data();
    args.scratch = aligned(scratch, table.attention_scratch_bytes(group, dim));
    const AttentionBlocks blocks = attention_blocks(depth, 0);
    std::vector<float> parts(static_cast<std::size_t>(blocks.end) *
                             attention_part_floats(group, dim));
    const double one =
        best_seconds([&] {
            for (std::size_t i = 0; i < kCaches; ++i) {
                next_cache();
                table.attention_partial(args, 0, blocks.end, parts.data());
                table.attention_merge(group, dim, blocks.end, parts.data(), out.data());
            }
        }) /
        kCaches;
    args.n_q = kRows;
    args.first_pos = 0;
    const double many = best_seconds([&] { table.attention(args); });
    const double pairs = 0.5 * kRows * (kRows + 1) * group;
    std::printf("%-11s attention group %d head_dim %d  decode at %d %6.2f GB/s %8.2f us  "
                "prefill of %d %6.1f GOPS\n",
                std::string(isa_name(table.isa)).c_str(), group, dim, depth,
                1e-9 * 4.0 * static_cast<double>(depth + 1) * dim / one, 1e6 * one, kRows,
                1e-9 * pairs * 4.0 * dim / many);
}

int run(int argc, char** argv) {
    const std::string_view isa = argc > 1 ? argv[1] : "all", type = argc > 2 ? argv[2] : "all";
    const std::size_t rows = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 4096;
    const std::size_t cols = argc > 4 ? std::strtoul(argv[4], nullptr, 10) : 1536;
    for (const Isa candidate : runnable_isas()) {
        if (isa == "all" ? candidate == Isa::Scalar : isa != isa_name(candidate))
            continue;
        const KernelTable& table = kernel_table(candidate);
        for (const QuantTraits& traits : quant_types())
            if (traits.runnable && (type == "all" || type == traits.name))
                bench_products(table, traits, rows, cols);
        if (type == "all" || type == "attention")
            for (const std::int32_t depth : {1024, 4096}) {
                bench_attention(table, 3, 64, depth);
                bench_attention(table, 4, 256, depth);
            }
    }
    return 0;
}

} // namespace
} // namespace alcove

int main(int argc, char** argv) {
    return alcove::run(argc, argv);
}
