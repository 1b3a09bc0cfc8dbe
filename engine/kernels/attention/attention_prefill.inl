// Many query rows: one (row, head) pair per lane, up to kLaneVectors vectors of them. Keys and
// values of a block are widened once for all lanes; scores, softmax and sums then never cross
// lanes, so a row's result cannot depend on its neighbours. Blocks of kPrefillBlock positions begin
// at multiples of it.

namespace alcove {
namespace {

constexpr std::int32_t kPrefillBlock = 64;
constexpr std::size_t kLanes = std::size_t{kLaneVectors} * kWidth;

/// The scratch of one tile of lanes.
struct LaneTile {
    float* query;       ///< [head_dim][kLanes]
    float* out;         ///< [head_dim][kLanes], not divided yet
    float* score;       ///< [kPrefillBlock][kLanes], then weights
    float* kv;          ///< [kPrefillBlock][padded head_dim], keys, then values
    float* m;           ///< [kLanes] largest score so far
    float* l;           ///< [kLanes] sum of weights so far
    float* rescale;     ///< [kLanes] what a block makes of earlier sums
    std::int32_t* pos;  ///< [kLanes] last position seen
    std::int32_t* from; ///< [kLanes] first position seen
    std::int32_t min_pos, max_pos, min_from, max_from;
    std::size_t n_lanes;
};

std::size_t lane_tile_bytes(std::int32_t head_dim) {
    const auto dim = static_cast<std::size_t>(head_dim);
    return sizeof(float) * (2 * dim * kLanes + kPrefillBlock * kLanes +
                            kPrefillBlock * padded_dim(head_dim) + 5 * kLanes);
}

LaneTile make_lane_tile(void* scratch, std::int32_t head_dim) {
    const auto dim = static_cast<std::size_t>(head_dim);
    LaneTile tile{};
    auto* p = static_cast<float*>(scratch);
    const auto take = [&p](std::size_t n) {
        float* begin = p;
        p += n;
        return begin;
    };
    tile.query = take(dim * kLanes);
    tile.out = take(dim * kLanes);
    tile.score = take(kPrefillBlock * kLanes);
    tile.kv = take(kPrefillBlock * padded_dim(head_dim));
    tile.m = take(kLanes);
    tile.l = take(kLanes);
    tile.rescale = take(kLanes);
    tile.pos = reinterpret_cast<std::int32_t*>(take(kLanes));
    tile.from = reinterpret_cast<std::int32_t*>(take(kLanes));
    return tile;
}

/// Row and head of a lane: pairs are numbered row by row.
ALCOVE_INLINE std::size_t lane_row(const AttentionArgs& args, std::size_t pair) {
    return pair / static_cast<std::size_t>(args.group);
}
ALCOVE_INLINE std::size_t lane_column(const AttentionArgs& args, std::size_t pair) {
    return pair % static_cast<std::size_t>(args.group) * static_cast<std::size_t>(args.head_dim);
}

/// Lanes [0, n) from pair `first` on; lanes up to a whole vector repeat the last one.
void fill_lanes(const AttentionArgs& args, LaneTile& tile, std::size_t first, std::size_t n) {
    const auto dim = static_cast<std::size_t>(args.head_dim);
    tile.n_lanes = n;
    const std::size_t whole = (n + kWidth - 1) / kWidth * kWidth;
    for (std::size_t lane = 0; lane < whole; ++lane) {
        const std::size_t pair = first + (lane < n ? lane : n - 1);
        const float* q = args.q + lane_row(args, pair) * args.q_stride + lane_column(args, pair);
        for (std::size_t d = 0; d < dim; ++d)
            tile.query[d * kLanes + lane] = q[d];
        const auto pos = args.first_pos + static_cast<std::int32_t>(lane_row(args, pair));
        tile.pos[lane] = pos;
        tile.from[lane] = first_visible_position(pos, args.window);
        tile.m[lane] = kMaskedScore;
        tile.l[lane] = 0;
    }
    for (std::size_t d = 0; d < dim; ++d)
        for (std::size_t lane = 0; lane < whole; lane += kWidth)
            f_store(tile.out + d * kLanes + lane, f_zero());
    tile.min_pos = tile.pos[0];
    tile.max_pos = tile.pos[n - 1];
    tile.min_from = tile.from[0];
    tile.max_from = tile.from[n - 1];
}

template <std::uint8_t kv>
void widen_block(const AttentionArgs& args, const void* base, std::int32_t begin, std::int32_t end,
                 float* out) {
    const auto dim = static_cast<std::size_t>(args.head_dim);
    for (std::int32_t p = begin; p < end; ++p, out += padded_dim(args.head_dim)) {
        const std::uint8_t* row = kv_row(base, args.kv_stride, p);
        for (std::size_t d = 0; d < dim; d += kWidth)
            f_store(out + d, load_kv<kv>(row, d, dim - d < kWidth ? dim - d : kWidth));
    }
}

/// score[p][lane] = scale * key p . query lane, for `positions` positions.
template <int vectors, int positions>
__attribute__((noinline)) void tile_scores(const AttentionArgs& args, const LaneTile& tile,
                                           std::int32_t p) {
    const std::size_t stride = padded_dim(args.head_dim);
    const float* key = tile.kv + static_cast<std::size_t>(p) * stride;
    Vf sum[positions][vectors];
    for (int i = 0; i < positions; ++i)
        for (int v = 0; v < vectors; ++v)
            sum[i][v] = f_zero();
    const auto dim = static_cast<std::size_t>(args.head_dim);
    for (std::size_t d = 0; d < dim; ++d) {
        Vf query[vectors];
        ALCOVE_UNROLL
        for (int v = 0; v < vectors; ++v)
            query[v] = f_load(tile.query + d * kLanes + static_cast<std::size_t>(v) * kWidth);
        ALCOVE_UNROLL
        for (int i = 0; i < positions; ++i) {
            const Vf k = f_set1(key[static_cast<std::size_t>(i) * stride + d]);
            ALCOVE_UNROLL
            for (int v = 0; v < vectors; ++v)
                sum[i][v] = f_fma(k, query[v], sum[i][v]);
        }
    }
    for (int i = 0; i < positions; ++i)
        for (int v = 0; v < vectors; ++v) {
            Vf score = f_mul(sum[i][v], f_set1(args.scale));
            if (args.softcap > 0)
                score = soft_cap(score, args.softcap);
            f_store(tile.score + static_cast<std::size_t>(p + i) * kLanes +
                        static_cast<std::size_t>(v) * kWidth,
                    score);
        }
}

template <int vectors, int positions = kLaneTile>
void all_scores(const AttentionArgs& args, const LaneTile& tile, std::int32_t p, std::int32_t n) {
    for (; p + positions <= n; p += positions)
        tile_scores<vectors, positions>(args, tile, p);
    if constexpr (positions > 1)
        if (p < n)
            all_scores<vectors, positions - 1>(args, tile, p, n);
}

/// Scores of one vector of lanes to weights; updates m, l and rescale. `masked`: some lane does not
/// see all positions of the block, which begins at `begin`.
template <bool masked>
void lane_softmax(const LaneTile& tile, std::size_t lane, std::int32_t begin, std::int32_t n) {
    const Vi pos = i_load(tile.pos + lane), from = i_load(tile.from + lane);
    const auto visible = [&](std::int32_t p, Vf score, Vf hidden) ALCOVE_LAMBDA_INLINE {
        if constexpr (!masked)
            return score;
        const Vi at = i_set1(begin + p);
        return f_select_ge(pos, at, f_select_ge(at, from, score, hidden), hidden);
    };
    const Vf hidden_score = f_set1(kMaskedScore);
    const Vf old_m = f_load(tile.m + lane);
    Vf m = old_m;
    for (std::int32_t p = 0; p < n; ++p)
        m = f_max(m, visible(p, f_load(tile.score + static_cast<std::size_t>(p) * kLanes + lane),
                             hidden_score));
    Vf sum = f_zero();
    for (std::int32_t p = 0; p < n; ++p) {
        float* at = tile.score + static_cast<std::size_t>(p) * kLanes + lane;
        const Vf weight = visible(p, f_exp(f_sub(f_load(at), m)), f_zero());
        f_store(at, weight);
        sum = f_add(sum, weight);
    }
    const Vf rescale = f_exp(f_sub(old_m, m));
    f_store(tile.m + lane, m);
    f_store(tile.rescale + lane, rescale);
    f_store(tile.l + lane, f_fma(f_load(tile.l + lane), rescale, sum));
}

/// out[d][lane] = out * rescale + sum over positions of weight * value, for `dims` dimensions.
template <int vectors, int dims>
__attribute__((noinline)) void tile_values(const AttentionArgs& args, const LaneTile& tile,
                                           std::size_t d, std::int32_t n) {
    const std::size_t stride = padded_dim(args.head_dim);
    const auto at = [&](int i, int v) ALCOVE_LAMBDA_INLINE {
        return tile.out + (d + static_cast<std::size_t>(i)) * kLanes +
               static_cast<std::size_t>(v) * kWidth;
    };
    Vf sum[dims][vectors];
    for (int v = 0; v < vectors; ++v) {
        const Vf rescale = f_load(tile.rescale + static_cast<std::size_t>(v) * kWidth);
        for (int i = 0; i < dims; ++i)
            sum[i][v] = f_mul(f_load(at(i, v)), rescale);
    }
    for (std::int32_t p = 0; p < n; ++p) {
        const float* weights = tile.score + static_cast<std::size_t>(p) * kLanes;
        const float* value = tile.kv + static_cast<std::size_t>(p) * stride + d;
        Vf weight[vectors];
        ALCOVE_UNROLL
        for (int v = 0; v < vectors; ++v)
            weight[v] = f_load(weights + static_cast<std::size_t>(v) * kWidth);
        ALCOVE_UNROLL
        for (int i = 0; i < dims; ++i) {
            const Vf x = f_set1(value[i]);
            ALCOVE_UNROLL
            for (int v = 0; v < vectors; ++v)
                sum[i][v] = f_fma(x, weight[v], sum[i][v]);
        }
    }
    for (int i = 0; i < dims; ++i)
        for (int v = 0; v < vectors; ++v)
            f_store(at(i, v), sum[i][v]);
}

template <int vectors, int dims = kLaneTile>
void all_values(const AttentionArgs& args, const LaneTile& tile, std::size_t d, std::int32_t n) {
    const auto dim = static_cast<std::size_t>(args.head_dim);
    for (; d + dims <= dim; d += dims)
        tile_values<vectors, dims>(args, tile, d, n);
    if constexpr (dims > 1)
        if (d < dim)
            all_values<vectors, dims - 1>(args, tile, d, n);
}

template <std::uint8_t kv, int vectors>
void attend_block(const AttentionArgs& args, const LaneTile& tile, std::int32_t begin,
                  std::int32_t end) {
    widen_block<kv>(args, args.k, begin, end, tile.kv);
    all_scores<vectors>(args, tile, 0, end - begin);
    const bool masked = end - 1 > tile.min_pos || begin < tile.max_from;
    for (std::size_t lane = 0; lane < std::size_t{vectors} * kWidth; lane += kWidth) {
        if (masked)
            lane_softmax<true>(tile, lane, begin, end - begin);
        else
            lane_softmax<false>(tile, lane, begin, end - begin);
    }
    widen_block<kv>(args, args.v, begin, end, tile.kv);
    all_values<vectors>(args, tile, 0, end - begin);
}

void store_lanes(const AttentionArgs& args, const LaneTile& tile, std::size_t first) {
    const auto dim = static_cast<std::size_t>(args.head_dim);
    for (std::size_t lane = 0; lane < tile.n_lanes; lane += kWidth) {
        const Vf inverse = f_div(f_set1(1.0F), f_load(tile.l + lane));
        for (std::size_t d = 0; d < dim; ++d) {
            float* at = tile.out + d * kLanes + lane;
            f_store(at, f_mul(f_load(at), inverse));
        }
    }
    for (std::size_t lane = 0; lane < tile.n_lanes; ++lane) {
        const std::size_t pair = first + lane;
        float* out = args.out + lane_row(args, pair) * args.out_stride + lane_column(args, pair);
        for (std::size_t d = 0; d < dim; ++d)
            out[d] = tile.out[d * kLanes + lane];
    }
}

template <std::uint8_t kv, int vectors>
void attend_tile(const AttentionArgs& args, LaneTile& tile) {
    for (std::int32_t begin = tile.min_from / kPrefillBlock * kPrefillBlock; begin <= tile.max_pos;
         begin += kPrefillBlock)
        // Positions that no lane sees are not read: there may be no rows of them.
        attend_block<kv, vectors>(args, tile, max_int(begin, tile.min_from),
                                  min_int(begin + kPrefillBlock, tile.max_pos + 1));
}

template <std::uint8_t kv> void attention_of(const AttentionArgs& args) {
    LaneTile tile = make_lane_tile(args.scratch, args.head_dim);
    const std::size_t pairs =
        static_cast<std::size_t>(args.n_q) * static_cast<std::size_t>(args.group);
    for (std::size_t first = 0; first < pairs; first += kLanes) {
        const std::size_t n = pairs - first < kLanes ? pairs - first : kLanes;
        fill_lanes(args, tile, first, n);
        const std::size_t vectors = (n + kWidth - 1) / kWidth;
        if (vectors == 1)
            attend_tile<kv, 1>(args, tile);
        else if (vectors == 2)
            attend_tile<kv, 2>(args, tile);
        else if (vectors == 3)
            attend_tile<kv, 3>(args, tile);
        else if constexpr (kLaneVectors > 3)
            attend_tile<kv, kLaneVectors>(args, tile);
        store_lanes(args, tile, first);
    }
}

void attention(const AttentionArgs& args) {
    if (args.kv_type == kKvF32)
        attention_of<kKvF32>(args);
    else if (args.kv_type == kKvF16)
        attention_of<kKvF16>(args);
    else
        attention_of<kKvQ8_0>(args);
}

} // namespace
} // namespace alcove
