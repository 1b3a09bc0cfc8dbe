#include "engine/text/unicode.h"
#include "engine/text/utf8.h"

#include <gtest/gtest.h>

namespace alcove::test {

namespace {

TEST(Utf8, ReplacesEachMaximalInvalidPartOnce) {
    const std::string r(kReplacement);
    EXPECT_EQ(utf8_repair("plain é 漢 🙂"), "plain é 漢 🙂");
    EXPECT_EQ(utf8_repair("a\x80z"), "a" + r + "z");
    EXPECT_EQ(utf8_repair("\xC0\xAF"), r + r) << "overlong";
    EXPECT_EQ(utf8_repair("\xED\xA0\x80"), r + r + r) << "surrogate";
    EXPECT_EQ(utf8_repair("\xF4\x90\x80\x80"), r + r + r + r) << "beyond U+10FFFF";
    EXPECT_EQ(utf8_repair("\xE2\x82"), r) << "cut off";
    EXPECT_EQ(utf8_repair("\xF0\x9F\x99z"), r + "z");
    EXPECT_EQ(utf8_repair("\xF0\x9F\xE2\x82\xAC"), r + "€");
}

TEST(Utf8, EveryScalarValueSurvives) {
    for (char32_t c = 0; c <= 0x10FFFF; ++c) {
        if (c >= 0xD800 && c <= 0xDFFF)
            continue;
        std::string text;
        utf8_append(text, c);
        ASSERT_TRUE(utf8_is_valid(text));
        ASSERT_EQ(utf8_length(text[0]), text.size());
        std::size_t position = 0;
        ASSERT_EQ(utf8_next(text, position), c);
        ASSERT_EQ(position, text.size());
        for (std::size_t n = 1; n < text.size(); ++n)
            ASSERT_EQ(utf8_step(std::string_view(text).substr(0, n)).status,
                      Utf8Status::Incomplete);
    }
}

TEST(Unicode, WhiteSpaceIsThatOfTheCharacterDatabase) {
    for (const char32_t c :
         U"\t\n\v\f\r \u0085\u00A0\u1680\u2000\u200A\u2028\u2029\u202F\u205F\u3000")
        EXPECT_EQ(is_unicode_space(c), c != 0) << static_cast<unsigned>(c);
    for (const char32_t c : {U'\u180E', U'\u200B', U'\u2060', U'\uFEFF', U'\x1C', U'a'})
        EXPECT_FALSE(is_unicode_space(c)) << static_cast<unsigned>(c);
}

TEST(Unicode, ComposesAndOrdersMarks) {
    EXPECT_EQ(to_nfc("e\u0301"), "é");
    EXPECT_EQ(to_nfc("\u212B"), "Å");
    EXPECT_EQ(to_nfc("\u1112\u1161\u11AB"), "한");
    EXPECT_EQ(to_nfc("a\u0301\u0323"), "\u1EA1\u0301") << "the mark below comes first";
    EXPECT_EQ(to_nfd("é"), U"e\u0301");
}

} // namespace

} // namespace alcove::test
