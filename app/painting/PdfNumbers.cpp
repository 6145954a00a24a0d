#include "app/painting/PdfNumbers.h"

#include "core/model/AsciiText.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

namespace trainscope::app {

namespace {

constexpr double kFinestPoints = 0.01;
constexpr int kMostDecimals = 6;
constexpr std::array<std::string_view, 4> kPathOperators{"m", "l", "c", "re"};

std::optional<double> numberOf(std::string_view word) {
    double value = 0.0;
    const auto end = word.data() + word.size();
    const auto [read, problem] = std::from_chars(word.data(), end, value);
    return problem == std::errc() && read == end ? std::optional(value) : std::nullopt;
}

class Shortener {
public:
    std::string shorten(std::string_view content) {
        std::string result;
        result.reserve(content.size());
        while (!content.empty()) {
            const std::size_t end = std::min(content.find('\n'), content.size());
            addLine(content.substr(0, end), result);
            content.remove_prefix(std::min(end + 1, content.size()));
            result += '\n';
        }
        return result;
    }

private:
    void addLine(std::string_view line, std::string& result) {
        const auto parts = words(line, " ");
        if (!parts.empty() && isPath(parts)) {
            for (std::size_t i = 0; i + 1 < parts.size(); ++i)
                addNumber(*numberOf(parts[i]), result);
            result += parts.back();
            return;
        }
        result += line;
        for (std::size_t i = 0; i < parts.size(); ++i)
            follow(parts, i);
    }
    static bool isPath(const std::vector<std::string_view>& parts) {
        return std::find(kPathOperators.begin(), kPathOperators.end(), parts.back())
            != kPathOperators.end()
            && std::all_of(parts.begin(), parts.end() - 1,
                [](std::string_view part) { return numberOf(part).has_value(); });
    }
    // The scale: of the last matrix, restored by Q.
    void follow(const std::vector<std::string_view>& parts, std::size_t at) {
        if (parts[at] == "q")
            m_scales.push_back(m_scales.back());
        else if (parts[at] == "Q" && m_scales.size() > 1)
            m_scales.pop_back();
        else if (parts[at] == "cm" && at >= 6) {
            const auto a = numberOf(parts[at - 6]);
            const auto b = numberOf(parts[at - 5]);
            if (a && b)
                m_scales.back() *= std::hypot(*a, *b);
        }
    }
    void addNumber(double value, std::string& result) const {
        const double steps = m_scales.back() / kFinestPoints;
        const int decimals
            = std::clamp(static_cast<int>(std::ceil(std::log10(steps))), 0, kMostDecimals);
        std::array<char, 64> text{};
        const auto [end, problem] = std::to_chars(
            text.data(), text.data() + text.size(), value, std::chars_format::fixed, decimals);
        std::string_view digits(text.data(), static_cast<std::size_t>(end - text.data()));
        if (decimals > 0) {
            while (digits.ends_with('0'))
                digits.remove_suffix(1);
            if (digits.ends_with('.'))
                digits.remove_suffix(1);
        }
        result.append(digits == "-0" ? "0" : digits).append(" ");
    }

    std::vector<double> m_scales{1.0}; // points a unit
};

} // namespace

std::string withShortCoordinates(std::string_view content) {
    return Shortener().shorten(content);
}

} // namespace trainscope::app
