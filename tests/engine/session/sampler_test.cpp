#include "engine/session/sampler.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <random>

namespace {

using alcove::Errc;
using alcove::Sampler;
using alcove::SamplingSettings;
using alcove::TokenId;
using nlohmann::json;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

json read(const char* name) {
    std::ifstream in(std::string(ALCOVE_TEST_DATA) + "/sampler/" + name);
    return json::parse(in);
}

float number(const json& value) {
    return value.is_string() ? -kInfinity : value.get<float>();
}

std::vector<float> logits_named(const json& all, const std::string& name) {
    std::vector<float> logits;
    for (const json& value : all.at(name))
        logits.push_back(number(value));
    return logits;
}

/// Everything off, temperature 1.
SamplingSettings all_off() {
    SamplingSettings settings;
    settings.temperature = 1;
    settings.top_k = 0;
    settings.top_p = 1;
    settings.min_p = 0;
    return settings;
}

SamplingSettings settings_of(const json& from) {
    SamplingSettings s = all_off();
    const auto take = [&](const char* key, auto& target) {
        if (from.contains(key))
            target = from.at(key).get<std::decay_t<decltype(target)>>();
    };
    take("temperature", s.temperature);
    take("top_k", s.top_k);
    take("top_p", s.top_p);
    take("min_p", s.min_p);
    take("typical_p", s.typical_p);
    take("top_n_sigma", s.top_n_sigma);
    take("penalty_last_n", s.repeat_last_n);
    take("penalty_repeat", s.repeat_penalty);
    take("penalty_freq", s.frequency_penalty);
    take("penalty_present", s.presence_penalty);
    take("xtc_probability", s.xtc_probability);
    take("xtc_threshold", s.xtc_threshold);
    take("dynatemp_range", s.dynatemp_range);
    take("dynatemp_exponent", s.dynatemp_exponent);
    take("dry_multiplier", s.dry_multiplier);
    take("dry_base", s.dry_base);
    take("dry_allowed_length", s.dry_allowed_length);
    take("dry_penalty_last_n", s.dry_penalty_last_n);
    take("dry_breakers", s.dry_breakers);
    take("min_keep", s.min_keep);
    if (from.contains("logit_bias")) {
        for (const auto& [id, bias] : from.at("logit_bias").items())
            s.logit_bias[std::stoi(id)] = number(bias);
    }
    return s;
}

void expect_distribution(const std::vector<Sampler::Probability>& found, const json& expected,
                         const std::string& name) {
    std::map<TokenId, double> by_id;
    for (const auto& entry : found)
        by_id[entry.id] = entry.p;
    ASSERT_EQ(by_id.size(), expected.at("ids").size()) << name;
    for (std::size_t i = 0; i < expected.at("ids").size(); ++i) {
        const auto id = expected.at("ids")[i].get<TokenId>();
        ASSERT_TRUE(by_id.contains(id)) << name << ": token " << id << " is missing";
        EXPECT_NEAR(by_id[id], expected.at("probs")[i].get<double>(), 2e-5)
            << name << ": token " << id;
    }
    for (std::size_t i = 1; i < found.size(); ++i)
        EXPECT_GE(found[i - 1].p, found[i].p) << name;
}

TEST(SamplerCases, EveryCaseHasItsDistribution) {
    const json cases = read("cases.json");
    const json all_logits = read("logits.json");
    for (const json& entry : cases.at("cases")) {
        const auto name = entry.at("name").get<std::string>();
        const std::vector<float> logits = logits_named(all_logits, entry.at("logits"));
        Sampler sampler(settings_of(entry.at("settings")),
                        static_cast<std::int32_t>(logits.size()));
        sampler.reset(entry.at("history").get<std::vector<TokenId>>());
        const auto mixed = sampler.distribution(logits);
        ASSERT_TRUE(mixed) << name << ": " << mixed.error().message;
        expect_distribution(*mixed, entry.at("expected"), name);
        if (entry.contains("expected_xtc_on")) {
            expect_distribution(*sampler.distribution(logits, true), entry.at("expected_xtc_on"),
                                name + " (coin on)");
            expect_distribution(*sampler.distribution(logits, false), entry.at("expected_xtc_off"),
                                name + " (coin off)");
        }
        // Asking again gives the same: nothing of a call stays behind in the working memory.
        expect_distribution(*sampler.distribution(logits), entry.at("expected"), name + " (again)");
    }
}

TEST(SamplerCases, DrawsFollowTheDistribution) {
    const json cases = read("cases.json");
    const json all_logits = read("logits.json");
    int n_checked = 0;
    for (const json& entry : cases.at("cases")) {
        if (!entry.contains("draws"))
            continue;
        ++n_checked;
        const std::vector<float> logits = logits_named(all_logits, entry.at("logits"));
        SamplingSettings settings = settings_of(entry.at("settings"));
        settings.seed = 7;
        Sampler sampler(settings, static_cast<std::int32_t>(logits.size()));
        sampler.reset(entry.at("history").get<std::vector<TokenId>>());
        const int n = entry.at("draws").at("n").get<int>();
        std::vector<double> share(logits.size());
        for (int i = 0; i < n; ++i)
            share[static_cast<std::size_t>(*sampler.sample(logits))] += 1.0 / n;
        std::vector<double> expected(logits.size());
        for (std::size_t i = 0; i < entry.at("expected").at("ids").size(); ++i)
            expected[entry.at("expected").at("ids")[i].get<std::size_t>()] =
                entry.at("expected").at("probs")[i];
        double distance = 0;
        for (std::size_t i = 0; i < share.size(); ++i)
            distance += std::abs(share[i] - expected[i]) / 2;
        EXPECT_LE(distance, entry.at("draws").at("max_total_variation").get<double>())
            << entry.at("name");
    }
    EXPECT_GE(n_checked, 5);
}

TEST(SamplerCases, MirostatKeepsItsBoundAndMovesIt) {
    const json cases = read("cases.json");
    const json all_logits = read("logits.json");
    for (const json& entry : cases.at("mirostat_v2")) {
        const std::vector<float> logits = logits_named(all_logits, entry.at("logits"));
        SamplingSettings settings = all_off();
        settings.mirostat = true;
        settings.temperature = entry.at("temperature").get<float>();
        settings.mirostat_tau = entry.at("tau").get<float>();
        settings.mirostat_eta = entry.at("eta").get<float>();
        Sampler sampler(settings, static_cast<std::int32_t>(logits.size()));
        EXPECT_EQ(sampler.mirostat_mu(), 2 * static_cast<double>(settings.mirostat_tau));
        sampler.set_mirostat_mu(entry.at("mu").get<double>());
        expect_distribution(*sampler.distribution(logits), entry.at("expected"), entry.at("name"));
        EXPECT_TRUE(sampler.update_mirostat(entry.at("chosen").get<TokenId>()));
        EXPECT_NEAR(sampler.mirostat_mu(), entry.at("mu_after_published").get<double>(), 1e-5);
        EXPECT_FALSE(sampler.update_mirostat(-1));
    }
}

std::vector<float> random_logits(std::size_t n, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<float> logits(n);
    for (float& logit : logits) // many equal values, so that ties are decided
        logit = static_cast<float>(static_cast<int>(random() % 4001) - 2000) / 100.0F;
    return logits;
}

/// The chain with everything sorted first, in the plainest words.
std::vector<TokenId> plain_order(const std::vector<float>& logits) {
    std::vector<TokenId> order(logits.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = static_cast<TokenId>(i);
    std::stable_sort(order.begin(), order.end(), [&](TokenId a, TokenId b) {
        return logits[static_cast<std::size_t>(a)] > logits[static_cast<std::size_t>(b)];
    });
    return order;
}

TEST(Sampler, PartialSelectionKeepsWhatAFullSortKeeps) {
    const std::vector<float> logits = random_logits(50'000, 3);
    const std::vector<TokenId> order = plain_order(logits);
    const auto kept = [&](const SamplingSettings& settings) {
        Sampler sampler(settings, static_cast<std::int32_t>(logits.size()));
        std::vector<TokenId> ids;
        const auto distribution = sampler.distribution(logits).value();
        for (const auto& entry : distribution)
            ids.push_back(entry.id);
        return ids;
    };
    const auto front = [&](std::size_t n) {
        return std::vector<TokenId>(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n));
    };
    for (const std::int32_t k : {1, 2, 40, 300, 7000}) {
        SamplingSettings settings = all_off();
        settings.top_k = k;
        EXPECT_EQ(kept(settings), front(static_cast<std::size_t>(k))) << "top_k " << k;
    }
    double sum = 0;
    double total = 0;
    for (const float logit : logits)
        total += std::exp(static_cast<double>(logit));
    std::size_t n = 0;
    while (sum < 0.9 * total)
        sum += std::exp(static_cast<double>(logits[static_cast<std::size_t>(order[n++])]));
    SamplingSettings settings = all_off();
    settings.top_p = 0.9F;
    EXPECT_NEAR(static_cast<double>(kept(settings).size()), static_cast<double>(n), 1);
    EXPECT_EQ(kept(settings), front(kept(settings).size()));
    settings = all_off();
    settings.min_p = 0.1F;
    const std::vector<TokenId> by_min_p = kept(settings);
    EXPECT_EQ(by_min_p, front(by_min_p.size()));
    EXPECT_GT(logits[static_cast<std::size_t>(by_min_p.back())],
              logits[static_cast<std::size_t>(order[0])] + std::log(0.0999F));
    EXPECT_LT(logits[static_cast<std::size_t>(order[by_min_p.size()])],
              logits[static_cast<std::size_t>(order[0])] + std::log(0.1001F));
}

TEST(Sampler, TheSameSeedGivesTheSameTokensAndTheNumbersAreFixed) {
    const std::vector<float> logits = random_logits(1000, 5);
    const auto draw = [&](std::uint64_t seed) {
        SamplingSettings settings;
        settings.temperature = 3;
        settings.seed = seed;
        Sampler sampler(settings, 1000);
        std::vector<TokenId> ids;
        for (int i = 0; i < 50; ++i) {
            ids.push_back(*sampler.sample(logits));
            sampler.accept(ids.back());
        }
        return ids;
    };
    EXPECT_EQ(draw(1), draw(1));
    EXPECT_NE(draw(1), draw(2));
    EXPECT_NE(draw(0), draw(1));
    // The generator's own numbers are a promise across platforms and versions.
    alcove::SamplerRandom zero(0);
    EXPECT_EQ(zero.next(), 0xE220A8397B1DCDAFU); // SplitMix64's published first value for state 0
    alcove::SamplerRandom uniform(42);
    for (int i = 0; i < 1000; ++i) {
        const double u = uniform.uniform();
        EXPECT_GE(u, 0.0);
        EXPECT_LT(u, 1.0);
    }
}

TEST(Sampler, TemperatureZeroTakesTheFirstOfTheBest) {
    SamplingSettings settings;
    settings.temperature = 0;
    const std::vector<float> logits{1, 5, 5, -kInfinity};
    Sampler sampler(settings, 4);
    EXPECT_EQ(*sampler.sample(logits), 1);
    settings.repeat_penalty = 2;
    Sampler penalising(settings, 4);
    penalising.accept(1);
    EXPECT_EQ(*penalising.sample(logits), 2);
}

TEST(Sampler, NumbersThatAreNoneAreAnError) {
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), kInfinity}) {
        for (const float temperature : {0.0F, 1.0F}) {
            SamplingSettings settings;
            settings.temperature = temperature;
            std::vector<float> logits(100, 1.0F);
            logits[77] = bad;
            Sampler sampler(settings, 100);
            const auto sampled = sampler.sample(logits);
            ASSERT_FALSE(sampled);
            EXPECT_EQ(sampled.error().code, Errc::Numeric);
            EXPECT_NE(sampled.error().message.find("token 77"), std::string::npos);
        }
    }
    for (const float temperature : {0.0F, 1.0F}) {
        SamplingSettings settings;
        settings.temperature = temperature;
        const std::vector<float> logits(100, -kInfinity);
        Sampler sampler(settings, 100);
        ASSERT_FALSE(sampler.sample(logits));
        EXPECT_EQ(sampler.sample(logits).error().code, Errc::Numeric);
    }
}

TEST(Sampler, AHistoryOutsideTheVocabularyIsIgnored) {
    SamplingSettings settings;
    settings.repeat_penalty = 1.3F;
    settings.dry_multiplier = 1;
    settings.dry_allowed_length = 0;
    settings.logit_bias[500] = 3;
    settings.logit_bias[-1] = 3;
    Sampler sampler(settings, 4);
    sampler.reset(std::vector<TokenId>{-1, 4, 1 << 30, 2, -7, 4});
    EXPECT_TRUE(sampler.sample(std::vector<float>{1, 2, 3, 4}));
}

TEST(Sampler, DryOverALongRepetitionIsLinear) {
    // Thirty thousand equal tokens: a quadratic search would not end within the test's time limit.
    SamplingSettings settings = all_off();
    settings.dry_multiplier = 0.1F;
    Sampler sampler(settings, 16);
    sampler.reset(std::vector<TokenId>(30'000, 4));
    std::vector<float> logits(16, 0.0F);
    for (int i = 0; i < 200; ++i) {
        const auto id = sampler.sample(logits);
        ASSERT_TRUE(id);
        EXPECT_NE(*id, 4);
    }
}

TEST(SamplingSettings, WhatIsOutOfRangeIsNamed) {
    EXPECT_TRUE(alcove::validate(SamplingSettings{}));
    const auto refused = [](auto change, const char* name) {
        SamplingSettings settings;
        change(settings);
        const auto status = alcove::validate(settings);
        ASSERT_FALSE(status) << name;
        EXPECT_EQ(status.error().code, Errc::InvalidArgument);
        EXPECT_NE(status.error().message.find(name), std::string::npos) << status.error().message;
    };
    refused([](auto& s) { s.temperature = -0.1F; }, "temperature");
    refused([](auto& s) { s.temperature = std::numeric_limits<float>::quiet_NaN(); },
            "temperature");
    refused([](auto& s) { s.temperature = kInfinity; }, "temperature");
    refused([](auto& s) { s.top_p = -1; }, "top_p");
    refused([](auto& s) { s.min_p = 1.5F; }, "min_p");
    refused([](auto& s) { s.repeat_penalty = 0; }, "repeat_penalty");
    refused([](auto& s) { s.repeat_last_n = -2; }, "repeat_last_n");
    refused([](auto& s) { s.frequency_penalty = std::numeric_limits<float>::quiet_NaN(); },
            "frequency_penalty");
    refused([](auto& s) { s.xtc_probability = 2; }, "xtc_probability");
    refused([](auto& s) { s.min_keep = -1; }, "min_keep");
    refused([](auto& s) { s.logit_bias[3] = kInfinity; }, "logit_bias of token 3");
    SamplingSettings banning;
    banning.logit_bias[3] = -kInfinity;
    EXPECT_TRUE(alcove::validate(banning));
}

} // namespace
