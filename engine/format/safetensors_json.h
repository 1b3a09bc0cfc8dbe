#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace alcove {

/// Goes over JSON text that is not to be trusted without keeping any of it, in time linear to its
/// length, and tells of its objects and their names in the order of the text. Used before the text
/// is read into a tree: copying and comparing trees recurses, and trees forget order and repeats.
class JsonScan : public nlohmann::json_sax<nlohmann::json> {
public:
    explicit JsonScan(std::size_t max_depth) : max_depth_(max_depth) {}

    /// False if `text` is no JSON, if it is nested too deeply, or if the scan was ended.
    bool run(std::string_view text) {
        nlohmann::json_sax<nlohmann::json>* const self = this;
        return nlohmann::json::sax_parse(text, self);
    }
    bool too_deep() const { return too_deep_; }

protected:
    /// An object of `depth` begins; the outermost value has depth 0. False ends the scan.
    virtual bool begin_object(std::size_t depth) = 0;
    /// A name in the open object of `depth`. False ends the scan.
    virtual bool name(std::size_t depth, const std::string& name) = 0;

private:
    bool enter() {
        too_deep_ = depth_ >= max_depth_;
        ++depth_;
        return !too_deep_;
    }
    bool leave() {
        --depth_;
        return true;
    }

    bool null() override { return true; }
    bool boolean(bool /*value*/) override { return true; }
    bool number_integer(number_integer_t /*value*/) override { return true; }
    bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
    bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
    bool string(string_t& /*text*/) override { return true; }
    bool binary(binary_t& /*bytes*/) override { return true; }
    bool start_object(std::size_t /*n*/) override { return enter() && begin_object(depth_ - 1); }
    bool key(string_t& text) override { return name(depth_ - 1, text); }
    bool end_object() override { return leave(); }
    bool start_array(std::size_t /*n*/) override { return enter(); }
    bool end_array() override { return leave(); }
    bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                     const nlohmann::detail::exception& /*error*/) override {
        return false;
    }

    std::size_t max_depth_;
    std::size_t depth_ = 0; // of objects and arrays that are open
    bool too_deep_ = false;
};

} // namespace alcove
