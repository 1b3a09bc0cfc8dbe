#include "engine/session/thread_tuner.h"

#include <gtest/gtest.h>

namespace alcove {
namespace {

TEST(ThreadTuner, AQuietMachineKeepsAllThreads) {
    ThreadTuner tuner(8);
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(tuner.n_threads(), 8);
        tuner.record(0.01, false);
    }
}

/// A machine where a team of more than one is slow, as when others use its processors.
double shared_machine(std::int32_t n_threads) {
    return n_threads == 1 ? 0.01 : 0.05;
}
double quiet_machine(std::int32_t n_threads) {
    return 0.02 / n_threads;
}

TEST(ThreadTuner, ASharedMachineIsMetWithFewerThreadsSoon) {
    ThreadTuner tuner(4);
    for (int i = 0; i < 8; ++i)
        tuner.record(shared_machine(tuner.n_threads()), tuner.n_threads() > 1);
    EXPECT_LE(tuner.n_threads(), 2);
    int n_single = 0;
    for (int i = 0; i < 160; ++i) {
        n_single += tuner.n_threads() == 1 ? 1 : 0;
        tuner.record(shared_machine(tuner.n_threads()), tuner.n_threads() > 1);
    }
    EXPECT_GT(n_single, 120);
}

TEST(ThreadTuner, ThreadsComeBackWhenTheMachineIsQuietAgain) {
    ThreadTuner tuner(4);
    for (int i = 0; i < 100; ++i)
        tuner.record(shared_machine(tuner.n_threads()), tuner.n_threads() > 1);
    for (int i = 0; i < 100; ++i)
        tuner.record(quiet_machine(tuner.n_threads()), false);
    EXPECT_EQ(tuner.n_threads(), 4);
}

TEST(ThreadTuner, OneThreadStaysOne) {
    ThreadTuner tuner(1);
    for (int i = 0; i < 50; ++i) {
        EXPECT_EQ(tuner.n_threads(), 1);
        tuner.record(0.01, true);
    }
}

} // namespace
} // namespace alcove
