// One query row: lanes along the head. Up to four heads of the group share each read of a key and a
// value.

namespace alcove {
namespace {

/// Positions whose scores are summed at once: kWidth sums, four heads' worth at most.
template <int heads>
constexpr int kScorePositions = heads == 1 ? kWidth : (heads == 2 ? kWidth / 2 : kWidth / 4);

constexpr std::int32_t kScoreStride = kAttentionBlock + kWidth; ///< floats per head of the buffer

/// Positions between a row that is read and the one fetched for later.
constexpr std::size_t kReadAhead = 32;

/// Starts the fetch of a cache row; a place past the cache's end does no harm.
ALCOVE_INLINE void prefetch_row(const AttentionArgs& args, const std::uint8_t* row) {
    const std::size_t row_bytes = static_cast<std::size_t>(args.head_dim) *
                                  (args.kv_type == kKvF32 ? 4 : (args.kv_type == kKvF16 ? 2 : 1));
    for (std::size_t line = 0; line < row_bytes; line += 64)
        prefetch(row + line);
}

/// Scores of `heads` heads for positions [begin, end) to score[h * kScoreStride + p - begin]; up to
/// kWidth - 1 values after the last one are overwritten.
template <std::uint8_t kv, int heads>
void block_scores(const AttentionArgs& args, const float* q, std::int32_t begin, std::int32_t end,
                  float* score) {
    constexpr int kPositions = kScorePositions<heads>;
    const auto dim = static_cast<std::size_t>(args.head_dim);
    for (std::int32_t p = begin; p < end; p += kPositions) {
        const std::uint8_t* row[kPositions];
        for (int i = 0; i < kPositions; ++i) { // past the end: the last one again
            row[i] = kv_row(args.k, args.kv_stride, min_int(p + i, end - 1));
            prefetch_row(args, row[i] + kReadAhead * args.kv_stride);
        }
        Vf sum[kWidth];
        for (int i = 0; i < kWidth; ++i)
            sum[i] = f_zero();
        const auto step = [&](std::size_t d, std::size_t n) ALCOVE_LAMBDA_INLINE {
            Vf query[heads];
            for (int h = 0; h < heads; ++h) {
                const float* at = q + static_cast<std::size_t>(h) * dim + d;
                query[h] = n == kWidth ? f_load(at) : f_load_n(at, n);
            }
            ALCOVE_UNROLL
            for (int i = 0; i < kPositions; ++i) {
                const Vf key = load_kv<kv>(row[i], d, n);
                ALCOVE_UNROLL
                for (int h = 0; h < heads; ++h)
                    sum[h * kPositions + i] = f_fma(query[h], key, sum[h * kPositions + i]);
            }
        };
        std::size_t d = 0;
        for (; d + kWidth <= dim; d += kWidth)
            step(d, kWidth);
        if (d < dim)
            step(d, dim - d);
        Vf scores = f_mul(f_reduce_each(sum), f_set1(args.scale));
        if (args.softcap > 0)
            scores = soft_cap(scores, args.softcap);
        alignas(64) float lanes[kWidth];
        f_store(lanes, scores);
        for (int h = 0; h < heads; ++h)
            __builtin_memcpy(score + h * kScoreStride + (p - begin), lanes + h * kPositions,
                             kPositions * sizeof(float));
    }
}

/// Scores of one head to weights exp(score - m); returns m and their sum l.
void block_softmax(float* score, std::size_t n, float& m, float& l) {
    const std::size_t whole = (n + kWidth - 1) / kWidth * kWidth;
    for (std::size_t i = n; i < whole; ++i)
        score[i] = kMaskedScore;
    Vf largest = f_set1(kMaskedScore);
    for (std::size_t i = 0; i < whole; i += kWidth)
        largest = f_max(largest, f_load(score + i));
    m = f_reduce_max(largest);
    Vf sum = f_zero();
    for (std::size_t i = 0; i < whole; i += kWidth) {
        Vf weight = f_exp(f_sub(f_load(score + i), f_set1(m)));
        if (i + kWidth > n) { // the padding weighs nothing
            f_store(score + i, weight);
            weight = f_load_n(score + i, n - i);
        }
        f_store(score + i, weight);
        sum = f_add(sum, weight);
    }
    l = f_reduce_add(sum);
}

/// out[h][d..] = sum over positions of weight * value, `vectors` vectors from d on, the last of n
/// values.
template <std::uint8_t kv, int heads, int vectors>
void block_values(const AttentionArgs& args, const float* weight, std::int32_t begin,
                  std::int32_t end, std::size_t d, std::size_t n, float* out,
                  std::size_t out_stride) {
    Vf sum[heads][vectors];
    for (int h = 0; h < heads; ++h)
        for (int i = 0; i < vectors; ++i)
            sum[h][i] = f_zero();
    for (std::int32_t p = begin; p < end; ++p) {
        const std::uint8_t* row = kv_row(args.v, args.kv_stride, p);
        if (d == 0)
            prefetch_row(args, row + kReadAhead * args.kv_stride);
        Vf value[vectors];
        ALCOVE_UNROLL
        for (int i = 0; i < vectors; ++i)
            value[i] = load_kv<kv>(row, d + static_cast<std::size_t>(i) * kWidth,
                                   vectors == 1 ? n : kWidth);
        ALCOVE_UNROLL
        for (int h = 0; h < heads; ++h) {
            const Vf w = f_set1(weight[h * kScoreStride + (p - begin)]);
            ALCOVE_UNROLL
            for (int i = 0; i < vectors; ++i)
                sum[h][i] = f_fma(w, value[i], sum[h][i]);
        }
    }
    for (int h = 0; h < heads; ++h)
        for (int i = 0; i < vectors; ++i) {
            float* at = out + static_cast<std::size_t>(h) * out_stride + d +
                        static_cast<std::size_t>(i) * kWidth;
            if (vectors > 1 || n == kWidth)
                f_store(at, sum[h][i]);
            else
                f_store_n(at, sum[h][i], n);
        }
}

/// The part of one block for `heads` consecutive heads.
template <std::uint8_t kv, int heads>
void block_part(const AttentionArgs& args, const float* q, std::int32_t begin, std::int32_t end,
                float* part) {
    alignas(64) float score[heads * kScoreStride];
    const auto dim = static_cast<std::size_t>(args.head_dim);
    const std::size_t stride = dim + 2;
    block_scores<kv, heads>(args, q, begin, end, score);
    for (int h = 0; h < heads; ++h) {
        float* tail = part + static_cast<std::size_t>(h) * stride + dim;
        block_softmax(score + h * kScoreStride, static_cast<std::size_t>(end - begin), tail[0],
                      tail[1]);
    }
    std::size_t d = 0;
    for (; d + kDecodeVectors * kWidth <= dim; d += kDecodeVectors * kWidth)
        block_values<kv, heads, kDecodeVectors>(args, score, begin, end, d, kWidth, part, stride);
    for (; d < dim; d += kWidth)
        block_values<kv, heads, 1>(args, score, begin, end, d, dim - d < kWidth ? dim - d : kWidth,
                                   part, stride);
}

template <std::uint8_t kv>
void partial_blocks(const AttentionArgs& args, std::int32_t block_begin, std::int32_t block_end,
                    float* parts) {
    const std::int32_t visible = first_visible_position(args.first_pos, args.window);
    const std::size_t head_floats = static_cast<std::size_t>(args.head_dim) + 2;
    for (std::int32_t block = block_begin; block < block_end; ++block) {
        const std::int32_t begin = max_int(block * kAttentionBlock, visible);
        const std::int32_t end = min_int((block + 1) * kAttentionBlock, args.first_pos + 1);
        const float* q = args.q;
        for (std::int32_t left = args.group; left > 0;) {
            const std::int32_t heads = min_int(left, 4);
            if (heads == 4)
                block_part<kv, 4>(args, q, begin, end, parts);
            else if (heads == 3)
                block_part<kv, 3>(args, q, begin, end, parts);
            else if (heads == 2)
                block_part<kv, 2>(args, q, begin, end, parts);
            else
                block_part<kv, 1>(args, q, begin, end, parts);
            q += static_cast<std::size_t>(heads) * static_cast<std::size_t>(args.head_dim);
            parts += static_cast<std::size_t>(heads) * head_floats;
            left -= heads;
        }
    }
}

void attention_partial(const AttentionArgs& args, std::int32_t block_begin, std::int32_t block_end,
                       float* parts) {
    if (args.kv_type == kKvF32)
        partial_blocks<kKvF32>(args, block_begin, block_end, parts);
    else if (args.kv_type == kKvF16)
        partial_blocks<kKvF16>(args, block_begin, block_end, parts);
    else
        partial_blocks<kKvQ8_0>(args, block_begin, block_end, parts);
}

/// One head: sum of the parts, each weighted with exp(m_block - m), divided by the sum of weights.
void merge_head(std::size_t dim, std::size_t stride, std::size_t n_blocks, const float* parts,
                float* out) {
    float m = parts[dim];
    for (std::size_t b = 1; b < n_blocks; ++b)
        m = m < parts[b * stride + dim] ? parts[b * stride + dim] : m;
    Vf l = f_zero();
    for (std::size_t b = 0; b < n_blocks; ++b) {
        const float* tail = parts + b * stride + dim;
        l = f_fma(f_set1(tail[1]), f_exp(f_set1(tail[0] - m)), l);
    }
    for (std::size_t d = 0; d < dim; d += kWidth) {
        const std::size_t n = dim - d < kWidth ? dim - d : kWidth;
        Vf sum = f_zero();
        for (std::size_t b = 0; b < n_blocks; ++b) {
            const float* part = parts + b * stride;
            const Vf value = n == kWidth ? f_load(part + d) : f_load_n(part + d, n);
            sum = f_fma(value, f_exp(f_set1(part[dim] - m)), sum);
        }
        sum = f_div(sum, l);
        if (n == kWidth)
            f_store(out + d, sum);
        else
            f_store_n(out + d, sum, n);
    }
}

void attention_merge(std::int32_t group, std::int32_t head_dim, std::int32_t n_blocks,
                     const float* parts, float* out) {
    const auto dim = static_cast<std::size_t>(head_dim);
    for (std::size_t h = 0; h < static_cast<std::size_t>(group); ++h)
        merge_head(dim, static_cast<std::size_t>(group) * (dim + 2),
                   static_cast<std::size_t>(n_blocks), parts + h * (dim + 2), out + h * dim);
}

} // namespace
} // namespace alcove
