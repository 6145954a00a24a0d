#pragma once
// The arguments of a span as the JSON object that is kept beside it.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace trainscope::importers {

class DetailText {
public:
    DetailText& add(std::string_view key, std::int64_t value);
    DetailText& add(std::string_view key, std::string_view value);
    DetailText& add(std::string_view key, std::span<const std::int64_t> values);
    // Empty without members; begins anew.
    std::string take();

private:
    void begin(std::string_view key);

    std::string m_text;
};

} // namespace trainscope::importers
