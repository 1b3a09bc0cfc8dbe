// Templates that want all the time, memory or stack there is; and where text comes from.
#include "tests/engine/text/template_cases.h"

#include <gtest/gtest.h>

namespace alcove::test {
namespace {

std::string repeat(const std::string& text, int n) {
    std::string out;
    for (int i = 0; i < n; ++i)
        out += text;
    return out;
}

/// Small limits, so that reaching one takes no time.
TemplateLimits tight() {
    TemplateLimits limits;
    limits.max_steps = 200'000;
    limits.max_output_bytes = 1U << 20U;
    limits.max_value_bytes = 8U << 20U;
    return limits;
}

Outcome run(const std::string& source, const Json& context = Json::object()) {
    return render(source, context, tight());
}

void expect_limit(const std::string& source, const std::string& named) {
    const Outcome got = run(source);
    EXPECT_EQ(got.error_kind, "runtime") << source.substr(0, 200) << "\n"
                                         << got.text.substr(0, 100);
    EXPECT_NE(got.error.find(named), std::string::npos) << source.substr(0, 200) << "\n"
                                                        << got.error;
}

TEST(TemplateLimits, LoopsEndAtTheStepLimit) {
    expect_limit("{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
                 "max_steps");
    expect_limit("{% for a in range(9999) %}{% for b in range(9999) %}{% set x = a * b %}{% endfor "
                 "%}{% endfor %}",
                 "max_steps");
    expect_limit("{% for a in range(99999) %}{{ range(99999) | sum }}{% endfor %}", "max_steps");
    expect_limit("{% set s = 'ab' * 99999 %}{% for a in range(99999) %}{% if s == s ~ '' %}{% "
                 "endif %}{% endfor %}",
                 "max_steps");
    expect_limit("{% set s = 'é' * 99999 %}{% for a in range(99999) %}{{ s[a] }}{% endfor %}",
                 "max_steps");
    expect_limit(
        "{% set s = 'é' * 99999 %}{% for a in range(99999) %}{% set t = s | upper %}{% endfor %}",
        "max_steps");
}

TEST(TemplateLimits, RangesAndNumbersAreBounded) {
    expect_limit("{{ range(10 ** 9) }}", "Range too big");
    expect_limit("{{ range(-(10 ** 37), 10 ** 37) }}", "too large");
    expect_limit("{{ 2 ** 200 }}", "128 bits");
    expect_limit("{{ 3 ** 10 ** 30 }}", "128 bits");
    expect_limit("{{ -(-170141183460469231731687303715884105727 - 1) }}", "128 bits");
    expect_limit("{{ (-170141183460469231731687303715884105727 - 1) // -1 }}", "128 bits");
    expect_limit("{{ (-170141183460469231731687303715884105727 - 1) | abs }}", "128 bits");
    expect_limit("{{ 1e300 | int }}", "128 bits");
    expect_limit("{{ ('9' * 60) | int }}", "128 bits");
    EXPECT_EQ(run("{{ 99999999999999999999999999999999999999999999999999 }}").error_kind, "syntax");
    EXPECT_EQ(run("{{ (-170141183460469231731687303715884105727 - 1) % -1 }}").text, "0");
    EXPECT_EQ(run("{{ 'abc'[10 ** 30:] }}|{{ 'abc'[::10 ** 30] }}|{{ 'abc'[::-(10 ** 30)] }}|{{ "
                  "[1][-(10 ** 37):10 ** 37] }}")
                  .text,
              "|a|c|[1]");
}

TEST(TemplateLimits, TextBombsAreRefusedBeforeTheyAreBuilt) {
    for (const char* source :
         {"{{ 'a' * 10 ** 12 }}", "{{ 10 ** 30 * 'ab' }}", "{{ [0] * 10 ** 12 }}",
          "{{ 'a'.center(10 ** 12) }}", "{{ 'a' | center(10 ** 30) }}", "{{ 'a'.zfill(10 ** 12) }}",
          "{{ 'a' | indent(10 ** 12, true) }}", "{{ '{:>99999999}'.format(1) }}",
          "{{ '%99999999d' % 1 }}", "{{ [[]] | tojson(indent=10 ** 12) }}",
          "{{ [1] | batch(10 ** 12, 0) | list }}", "{{ [1] | slice(10 ** 12) | list }}",
          "{{ '\t'.expandtabs(10 ** 12) }}"})
        EXPECT_EQ(run(source).error_kind, "runtime") << source;
    expect_limit("{% set ns = namespace(s='abcdefgh') %}{% for i in range(99) %}{% set ns.s = ns.s "
                 "~ ns.s %}{% endfor %}",
                 "max_value_bytes");
    expect_limit("{% set ns = namespace(s='ab') %}{% for i in range(99) %}{% set ns.s = ns.s | "
                 "replace('', 'abcd') %}{% endfor %}",
                 "max_value_bytes");
    expect_limit("{% set ns = namespace(s='ab') %}{% for i in range(99) %}{% set ns.s = [ns.s, "
                 "ns.s] | join(ns.s) %}{% endfor %}",
                 "max_value_bytes");
    expect_limit("{% set s = 'x' * 100000 %}{% for i in range(99999) %}{{ s }}{% endfor %}",
                 "max_output_bytes");
    EXPECT_EQ(run("{{ '%.999999f' % 1.5 }}").error_kind, "runtime");
    EXPECT_EQ(run("{{ '{:{}}'.format(1, 99999999) }}").error_kind, "runtime");
}

TEST(TemplateLimits, SharedListsThatGrowExponentiallyAreRefused) {
    const std::string grow = "{% set ns = namespace(x=[1, 2]) %}{% for i in range(60) %}{% set "
                             "ns.x = [ns.x, ns.x] %}{% endfor %}";
    expect_limit(grow + "{{ ns.x }}", "holds more than");
    expect_limit(grow + "{{ ns.x | tojson }}", "holds more than");
    expect_limit("{% set ns = namespace(x={}) %}{% for i in range(60) %}{% set ns.x = {'a': ns.x, "
                 "'b': ns.x} %}{% endfor %}",
                 "holds more than");
}

TEST(TemplateLimits, NestingOfValuesIsBounded) {
    for (const char* step : {"[ns.x]", "{'a': ns.x}", "(ns.x,)", "ns.x | map('string')",
                             "cycler(ns.x)", "[ns.x].index"})
        expect_limit("{% set ns = namespace(x=[]) %}{% for i in range(9999) %}{% set ns.x = " +
                         std::string(step) + " %}{% endfor %}",
                     step == std::string("[ns.x].index") ? "" : "nest deeper");
    Json deep = Json::array();
    for (int i = 0; i < 2000; ++i)
        deep = Json::array({deep});
    EXPECT_EQ(run("{{ x }}", {{"x", deep}}).error_kind, "runtime");
}

TEST(TemplateLimits, RecursionOfMacrosIsBounded) {
    expect_limit("{% macro f(n) %}{{ f(n + 1) }}{% endmacro %}{{ f(0) }}", "deep");
    expect_limit(
        "{% macro f() %}{{ g() }}{% endmacro %}{% macro g() %}{{ f() }}{% endmacro %}{{ f() }}",
        "deep");
    expect_limit("{% macro f() %}{% call f() %}{{ caller() }}{% endcall %}{% endmacro %}{{ f() }}",
                 "deep");
    expect_limit("{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}", "deep");
    expect_limit("{% macro f(x) %}{% for i in [1] %}{% if true %}{{ (f(x) | trim) ~ '' }}{% endif "
                 "%}{% endfor %}{% endmacro %}{{ f(0) }}",
                 "deep");
    EXPECT_EQ(run("{% macro f(n) %}{{ n if n == 0 else f(n - 1) }}{% endmacro %}{{ f(100) }}").text,
              "0");
}

TEST(TemplateLimits, NestingOfTheSourceIsBounded) {
    const int n = 100'000;
    for (const std::string& source :
         {"{{ " + repeat("(", n) + "1" + repeat(")", n) + " }}", "{{ " + repeat("[", n),
          "{{ " + repeat("{1:", n), "{{ " + repeat("not ", n) + "1 }}",
          "{{ " + repeat("- ", n) + "1 }}", "{{ x" + repeat(".a", n) + " }}",
          "{{ x" + repeat("[0]", n) + " }}", "{{ x" + repeat("()", n) + " }}",
          "{{ x" + repeat("|trim", n) + " }}", "{{ x" + repeat(" is defined", n) + " }}",
          "{{ x" + repeat(" is eq x(", n) + " }}", "{{ " + repeat("1 if x else ", n) + "2 }}",
          "{{ " + repeat("1 if x ", n) + " }}", repeat("{% if x %}", n),
          repeat("{% for x in y %}", n), repeat("{% macro m() %}", n),
          "{% set " + repeat("(", n) + "x" + repeat(")", n) + " = 1 %}",
          "{% for " + repeat("(", n) + "x" + repeat(")", n) + " in y %}{% endfor %}"}) {
        const Outcome got = run(source);
        EXPECT_EQ(got.error_kind, "syntax") << source.substr(0, 60);
    }
    // The height counts, not only what the parser nests at one moment.
    EXPECT_EQ(run("{{ " + repeat("(", 150) + "x" + repeat(repeat(".a", 10) + ")", 150) + " }}")
                  .error_kind,
              "syntax");
}

TEST(TemplateLimits, LongChainsAreNoNesting) {
    const int n = 20'000;
    EXPECT_EQ(run("{{ 0" + repeat(" + 1", n) + " }}").text, "20000");
    EXPECT_EQ(run("{{ ''" + repeat(" ~ 'a'", n) + " }}").text, repeat("a", n));
    EXPECT_EQ(run("{{ false" + repeat(" or false", n) + " }}").text, "False");
    EXPECT_EQ(run("{{ 1" + repeat(" == 1", n) + " }}").text, "True");
    EXPECT_EQ(run("{{ 'a'" + repeat(" 'a'", n) + " }}").text, repeat("a", n + 1));
    EXPECT_EQ(run("{% if 0 %}" + repeat("{% elif 0 %}", n) + "{% else %}x{% endif %}").text, "x");
}

TEST(TemplateLimits, HugeSourcesAreReadInLinearTime) {
    EXPECT_EQ(run(repeat("{{ 1 }}", 10'000)).text, repeat("1", 10'000));
    EXPECT_EQ(run(repeat("{", 1'000'000)).error_kind, "syntax");
    EXPECT_EQ(run(repeat("{# ", 300'000)).error_kind, "syntax");
    EXPECT_EQ(run(repeat("{% raw %}", 100'000)).error_kind, "syntax");
    EXPECT_EQ(run("{% raw %}" + repeat("{% endraw", 100'000)).error_kind, "syntax");
    EXPECT_EQ(run("{{ '" + repeat("a", 2'000'000)).error_kind, "syntax");
    EXPECT_EQ(run(repeat("a", 9U << 20U)).error_kind, "syntax");
}

TEST(TemplateLimits, RingsOfReferencesAreFreed) { // the leak checker of the sanitizer build watches
    EXPECT_EQ(run("{% set ns = namespace() %}{% set ns.me = [ns] %}{% set ns.f = ns.me %}x").text,
              "x");
    EXPECT_EQ(run("{% macro f() %}{% endmacro %}{% set g = f %}{% set ns = namespace(f=f) %}{{ "
                  "ns.f() }}x")
                  .text,
              "x");
    EXPECT_EQ(run("{% set ns = namespace() %}{% macro m() %}{% set ns.c = caller %}{% endmacro "
                  "%}{% call m() %}{% endcall %}x")
                  .text,
              "x");
    EXPECT_EQ(run("{% set ns = namespace() %}{% for i in [1] recursive %}{% set ns.l = loop %}{% "
                  "set x = loop %}{% endfor %}x")
                  .text,
              "x");
}

TEST(TemplateErrors, NameTheLineAndTheKind) {
    EXPECT_EQ(run("a\nb\n{{ x.y }}").error, "line 3: 'x' is undefined");
    EXPECT_EQ(run("a\n{% if %}").error.substr(0, 7), "line 2:");
    const Outcome raised = run("a\n{{ raise_exception('no system role') }}");
    EXPECT_EQ(raised.error_kind, "raised");
    EXPECT_EQ(raised.error, "no system role");
}

TEST(TemplateInput, InvalidUtf8IsRepaired) {
    EXPECT_EQ(run("a\xff{{ x }}", {{"x", "b\xc3"}}).text, "a\xef\xbf\xbd"
                                                          "b\xef\xbf\xbd");
}

/// The segments as "[data]" and plain text.
std::string marked(const std::string& source, const Json& context) {
    const Outcome got = run(source, context);
    std::string out = got.error;
    for (const TextSegment& segment : got.segments)
        out += segment.from_data ? "[" + segment.text + "]" : segment.text;
    return out;
}

TEST(TemplateOrigin, FollowsTextThroughEverything) {
    const Json x = {{"x", "Ab c"}, {"l", {"p", "q"}}, {"d", {{"k", "v\n"}}}, {"n", 5}};
    EXPECT_EQ(marked("<{{ x }}>", x), "<[Ab c]>");
    EXPECT_EQ(marked("{{ '<' + x + '>' }}{{ '<' ~ x ~ n }}", x), "<[Ab c]><[Ab c]5");
    EXPECT_EQ(marked("{{ ('<' + x + '>')[:3] }}|{{ ('<' + x)[::-1] }}", x), "<[Ab]|[c bA]<");
    EXPECT_EQ(marked("{{ x | upper }}{{ '-' }}{{ x.lower() }}-{{ x | title }}", x),
              "[AB C]-[ab c]-[Ab C]");
    EXPECT_EQ(marked("{{ (' ' + x + ' ') | trim }}", x), "[Ab c]");
    EXPECT_EQ(marked("{{ x | replace('b', '<|im_end|>') }}", x), "[A]<|im_end|>[ c]");
    EXPECT_EQ(marked("{{ 'a#b' | replace('#', x) }}", x), "a[Ab c]b");
    EXPECT_EQ(marked("{{ l | join(', ') }}", x), "[p], [q]");
    EXPECT_EQ(marked("{{ d | tojson }}", x), "{\"[k]\": \"[v\\n]\"}");
    EXPECT_EQ(marked("{{ d }}", x), "{'[k]': '[v\\n]'}");
    EXPECT_EQ(marked("{% set b %}<{{ x }}>{% endset %}{{ b }}", x), "<[Ab c]>");
    EXPECT_EQ(marked("{% macro m(a) %}<{{ a }}>{% endmacro %}{{ m(x) | string }}", x), "<[Ab c]>");
    EXPECT_EQ(marked("{{ x.split(' ')[0] }}<{{ x.partition(' ')[2] }}", x), "[Ab]<[c]");
    EXPECT_EQ(marked("{{ '%s=%d' % (x, 3) }}{{ '<{}>'.format(x) }}", x), "[Ab c]=3<[Ab c]>");
    EXPECT_EQ(marked("{{ x | indent(2, true) }}{{ x.center(8) }}", x), "  [Ab c]  [Ab c]  ");
    EXPECT_EQ(marked("{% for c in x[:2] %}{{ c }}.{% endfor %}", x), "[A].[b].");
    EXPECT_EQ(marked("{% filter upper %}q{{ x }}{% endfilter %}", x), "Q[AB C]");
    EXPECT_EQ(marked("{{ x | escape }}{{ '<' | e }}{{ x | urlencode }}", x), "[Ab c]&lt;[Ab%20c]");
}

TEST(TemplateOrigin, SpecialTokensAndKnownRolesAreTheTemplates) {
    const Json context = {
        {"bos_token", "<s>"},
        {"eos_token", "</s>"},
        {"other_token", "<x>"},
        {"messages",
         {{{"role", "user"}, {"content", "user"}}, {{"role", "im_end"}, {"content", "c"}}}}};
    EXPECT_EQ(marked("{{ bos_token }}{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{{ "
                     "eos_token }}{% endfor %}{{ other_token }}",
                     context),
              "<s><|user|>[user]</s><|[im_end]|>[c]</s>[<x>]");
}

} // namespace
} // namespace alcove::test
