#include "engine/model/team.h"
#include "engine/model/workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace alcove::model {
namespace {

TEST(Workers, EveryJobRunsOnceAndIsDoneWhenRunReturns) {
    Workers workers;
    for (const std::int32_t n_threads : {1, 2, 5, 3, 8, 1}) {
        ASSERT_EQ(workers.prepare(n_threads, 2), n_threads);
        for (int round = 0; round < 200; ++round) {
            std::vector<int> runs(static_cast<std::size_t>(n_threads), 0); // plain: each its own
            workers.run(n_threads, [&](std::int32_t i) { ++runs[static_cast<std::size_t>(i)]; });
            for (const int count : runs)
                ASSERT_EQ(count, 1);
        }
    }
}

TEST(Workers, ATeamMeetsAtEveryBarrierWithMoreThreadsThanProcessors) {
    constexpr std::int32_t kThreads = 7;
    Workers workers;
    Team team;
    ASSERT_EQ(workers.prepare(kThreads, 2), kThreads);
    for (int round = 0; round < 20; ++round) {
        team.begin(kThreads, 2);
        std::vector<int> steps(kThreads, 0);
        std::atomic<bool> apart{false};
        workers.run(kThreads, [&](std::int32_t i) {
            for (int step = 1; step <= 30; ++step) {
                steps[static_cast<std::size_t>(i)] = step;
                team.barrier();
                for (const int other : steps)
                    apart = apart || other != step;
                team.barrier();
            }
        });
        EXPECT_FALSE(apart);
    }
}

TEST(Workers, EndWithoutHavingHadAJob) {
    Workers idle;
    Workers prepared;
    EXPECT_EQ(prepared.prepare(4, 4), 4);
}

} // namespace
} // namespace alcove::model
