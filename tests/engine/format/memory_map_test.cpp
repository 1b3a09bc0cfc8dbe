#include "engine/format/mapping_guard.h"
#include "engine/format/memory_map.h"
#include "tests/engine/format/temporary_folder.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <string>

namespace {

using alcove::Errc;
using alcove::MemoryMap;
using alcove::test::TemporaryFolder;

TEST(MemoryMap, ShowsTheFilesBytesInBothModes) {
    const TemporaryFolder folder;
    const auto path = folder.write("f", "hello");
    for (const auto mode : {MemoryMap::Mode::Map, MemoryMap::Mode::Read}) {
        auto map = MemoryMap::open(path, mode);
        ASSERT_TRUE(map) << map.error().message;
        const auto bytes = map->bytes();
        EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), "hello");
        EXPECT_TRUE(map->is_unchanged());
        MemoryMap moved = std::move(*map);
        EXPECT_EQ(moved.bytes().data(), bytes.data());
    }
    EXPECT_EQ(MemoryMap::open(folder.write("empty", ""), MemoryMap::Mode::Map)->bytes().size(), 0U);
}

TEST(MemoryMap, WhatIsNoFileIsNamed) {
    const TemporaryFolder folder;
    const auto absent = MemoryMap::open(folder.path() / "absent", MemoryMap::Mode::Map);
    ASSERT_FALSE(absent);
    EXPECT_EQ(absent.error().code, Errc::NotFound);
    const auto a_folder = MemoryMap::open(folder.path(), MemoryMap::Mode::Map);
    ASSERT_FALSE(a_folder);
    EXPECT_NE(a_folder.error().message.find("folder"), std::string::npos);
    const auto pipe = folder.path() / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_FALSE(MemoryMap::open(pipe, MemoryMap::Mode::Map)); // and does not wait for a writer
}

TEST(MemoryMap, AChangeOfTheFileIsSeen) {
    const TemporaryFolder folder;
    const auto path = folder.write("f", std::string(100, 'x'));
    const auto map = MemoryMap::open(path, MemoryMap::Mode::Map).value();
    ASSERT_TRUE(map.is_unchanged());
    std::filesystem::resize_file(path, 50);
    EXPECT_FALSE(map.is_unchanged());
}

TEST(MemoryMap, AReplacedFileDoesNotDisturbTheMapping) {
    const TemporaryFolder folder;
    const auto path = folder.write("f", "old");
    const auto map = MemoryMap::open(path, MemoryMap::Mode::Map).value();
    std::filesystem::rename(folder.write("new", "a newer one"), path);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(map.bytes().data()), 3), "old");
    EXPECT_TRUE(map.is_unchanged());
}

TEST(MappingGuard, ATruncatedMappingGivesZerosInsteadOfASignal) {
    alcove::install_mapping_guard();
    const TemporaryFolder folder;
    constexpr std::size_t kBytes = 1U << 20U;
    const auto path = folder.write("f", std::string(kBytes, 'x'));
    const auto map = MemoryMap::open(path, MemoryMap::Mode::Map).value();
    std::filesystem::resize_file(path, 0);
    const volatile std::byte* data = map.bytes().data();
    EXPECT_EQ(std::to_integer<int>(data[kBytes - 1]), 0);
    EXPECT_EQ(std::to_integer<int>(data[kBytes / 2]), 0);
    std::filesystem::resize_file(path, kBytes);
    EXPECT_FALSE(map.is_unchanged());
}

} // namespace
