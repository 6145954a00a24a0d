#include "core/plot/SentenceText.h"

#include "core/plot/TextFit.h"

#include <algorithm>
#include <string>
#include <vector>

namespace trainscope::plot {

namespace {

constexpr std::string_view kOpening = "(";
constexpr std::string_view kClosing = ".,;:)";

// Parts of the sentence between which a line may break: what stands before a number, the number
// with its unit, what stands behind.
struct SentencePart {
    std::string before;
    std::string core;
    std::string behind;
    bool isNumber = false;
};

bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

SentencePart partOf(std::string_view word) {
    const bool isNumber = word.find_first_of("0123456789") != std::string_view::npos
        && std::ranges::none_of(word, isLetter);
    if (!isNumber)
        return {{}, std::string(word), {}, false};
    const std::size_t begin = std::min(word.find_first_not_of(kOpening), word.size());
    const std::size_t end = word.find_last_not_of(kClosing) + 1;
    return {std::string(word.substr(0, begin)), std::string(word.substr(begin, end - begin)),
        std::string(word.substr(end)), true};
}

std::vector<std::string_view> wordsOfSentence(std::string_view text) {
    std::vector<std::string_view> words;
    for (std::size_t at = text.find_first_not_of(' '); at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        words.push_back(text.substr(at, end - at));
        at = text.find_first_not_of(' ', end);
    }
    return words;
}

// "32 × H200 SXM": a count of things that have a name.
bool isCountOfNamed(const std::vector<std::string_view>& words, std::size_t at) {
    return at + 2 < words.size() && words[at + 1] == "×" && words[at + 2].front() >= 'A'
        && words[at + 2].front() <= 'Z';
}

std::vector<SentencePart> partsOfSentence(std::string_view text) {
    std::vector<SentencePart> parts;
    const auto words = wordsOfSentence(text);
    for (std::size_t i = 0; i < words.size(); ++i) {
        SentencePart part = partOf(words[i]);
        part.isNumber = part.isNumber && !isCountOfNamed(words, i);
        if (part.isNumber && part.behind.empty() && i + 1 < words.size()
            && isUnitWord(words[i + 1])) {
            const std::string_view unit = words[++i];
            const std::size_t end = unit.find_last_not_of(kClosing) + 1;
            part.core += " " + std::string(unit.substr(0, end));
            part.behind = unit.substr(end);
        }
        parts.push_back(std::move(part));
    }
    return parts;
}

} // namespace

int flowSentence(
    const Canvas& canvas, std::string_view text, const SentencePlace& place, bool isDrawn) {
    constexpr TextRole kRole = TextRole::Body;
    const double blank = canvas.width(" ", kRole);
    double x = 0.0;
    int lines = 1;
    for (const SentencePart& part : partsOfSentence(text)) {
        const double before = canvas.width(part.before, kRole);
        const double core = canvas.width(part.core, kRole, part.isNumber);
        const double wide = before + core + canvas.width(part.behind, kRole);
        if (x > 0.0 && x + wide > place.width && lines < place.most) {
            x = 0.0;
            ++lines;
        }
        const double y = place.baseline.y + (lines - 1) * place.line;
        const auto draw = [&](double at, const std::string& one, bool bold) {
            if (isDrawn && !one.empty())
                canvas.text({place.baseline.x + at, y},
                    canvas.fitted(one, place.width, kRole, bold), canvas.theme.text, kRole,
                    Align::Left, bold);
        };
        draw(x, part.before, false);
        draw(x + before, part.core, part.isNumber);
        draw(x + before + core, part.behind, false);
        x += wide + blank;
    }
    return lines;
}

} // namespace trainscope::plot
