#include "engine/kernels/matmul/matmul.h"

#include "engine/kernels/matvec/matvec.h"

namespace alcove {

// Row by row through the scalar matvec: plain, and equal to it.
void matmul_q8_scalar(const MatmulArgs& args) {
    for (std::int32_t t = 0; t < args.n_tokens; ++t)
        matvec_q8_scalar(args.type, args.n_cols, args.w, args.w_row_bytes, args.row_begin,
                         args.row_end,
                         static_cast<const std::uint8_t*>(args.x) +
                             static_cast<std::size_t>(t) * args.x_row_bytes,
                         args.y + static_cast<std::size_t>(t) * args.y_stride + args.row_begin);
}

void matmul_f32_scalar(const MatmulArgs& args) {
    for (std::int32_t t = 0; t < args.n_tokens; ++t)
        matvec_f32_scalar(
            args.type, args.n_cols, args.w, args.w_row_bytes, args.row_begin, args.row_end,
            reinterpret_cast<const float*>(static_cast<const std::uint8_t*>(args.x) +
                                           static_cast<std::size_t>(t) * args.x_row_bytes),
            args.y + static_cast<std::size_t>(t) * args.y_stride + args.row_begin);
}

std::size_t matmul_scratch_bytes_scalar(std::size_t /*n_cols*/) {
    return 64;
}

} // namespace alcove
