#include "core/text/Names.h"

#include "core/model/AsciiText.h"
#include "core/text/Table.h"

#include <algorithm>
#include <cstddef>
#include <map>

namespace trainscope::text {
namespace {

constexpr std::string_view kSeparators = "/_-.: ";
constexpr std::string_view kStrongSeparators = "/_: "; // "gpt3-175b" and "1.5" are one word
constexpr std::size_t kLeastShared = 4; // bytes
constexpr const char* kEllipsis = "…";

// Bytes at either end of each name that are not shown.
struct SharedEnds {
    std::size_t begin = 0;
    std::size_t end = 0;
};

std::size_t equalAtBegin(std::string_view a, std::string_view b) {
    const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
    return static_cast<std::size_t>(end - a.begin());
}

std::size_t equalAtEnd(std::string_view a, std::string_view b) {
    const auto end = std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first;
    return static_cast<std::size_t>(end - a.rbegin());
}

// The whole words at the begin of the text, of which that many bytes may be taken.
std::size_t wordsAtBegin(std::string_view text, std::size_t most, std::string_view separators) {
    const std::size_t at = text.substr(0, most).find_last_of(separators);
    return at == std::string_view::npos ? 0 : at + 1;
}

std::size_t wordsAtEnd(std::string_view text, std::size_t most, std::string_view separators) {
    const std::size_t at = text.find_first_of(separators, text.size() - most);
    return at == std::string_view::npos ? 0 : text.size() - at;
}

bool isOfWord(char c) {
    // Bytes of characters beyond ASCII are of words.
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
        || (static_cast<unsigned>(c) & 0x80U) != 0;
}

bool saysSomething(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find_first_of(kSeparators, at), text.size());
        const std::string_view word = text.substr(at, end - at);
        const auto letters = std::count_if(word.begin(), word.end(), isOfWord);
        if (letters > 1 || (letters == 1 && word.size() > 2))
            return true;
        at = end + 1;
    }
    return false;
}

std::string_view without(std::string_view name, const SharedEnds& ends) {
    return name.substr(ends.begin, name.size() - ends.begin - ends.end);
}

// A name that says nothing whole cannot say more in part.
bool allSaySomething(std::span<const std::string> names, const SharedEnds& ends) {
    return std::all_of(names.begin(), names.end(), [&ends](const std::string& name) {
        return !saysSomething(name) || saysSomething(without(name, ends));
    });
}

SharedEnds sharedEnds(std::span<const std::string> names) {
    const std::string_view first = names.front();
    std::size_t begin = first.size();
    std::size_t end = first.size();
    std::size_t shortest = first.size();
    for (const std::string& name : names) {
        begin = std::min(begin, equalAtBegin(first, name));
        end = std::min(end, equalAtEnd(first, name));
        shortest = std::min(shortest, name.size());
    }
    if (shortest == 0)
        return {};
    SharedEnds ends;
    ends.begin = wordsAtBegin(first, std::min(begin, shortest - 1), kSeparators);
    ends.end = wordsAtEnd(first, std::min(end, shortest - ends.begin - 1), kSeparators);
    return ends;
}

// Gives words back until every name says something, those at the begin first.
SharedEnds endsToLeaveOut(std::span<const std::string> names) {
    SharedEnds ends = names.size() < 2 ? SharedEnds() : sharedEnds(names);
    const std::string_view first = names.empty() ? std::string_view() : names.front();
    while (ends.begin > 0 && !allSaySomething(names, ends))
        ends.begin = wordsAtBegin(first, ends.begin - 1, kStrongSeparators);
    while (ends.end > 0 && !allSaySomething(names, ends))
        ends.end = wordsAtEnd(first, ends.end - 1, kStrongSeparators);
    if (ends.begin < kLeastShared)
        ends.begin = 0;
    if (ends.end < kLeastShared)
        ends.end = 0;
    return ends;
}

const std::string& factOf(const Named& named, std::size_t fact) {
    static const std::string none;
    return fact < named.facts.size() ? named.facts[fact] : none;
}

// "train" of "train (2)" and "train 2"; else the name.
std::string_view withoutNumber(std::string_view name) {
    std::string_view rest = name;
    const bool isInBrackets = rest.ends_with(')');
    if (isInBrackets)
        rest.remove_suffix(1);
    const std::size_t digits = rest.find_last_not_of("0123456789") + 1;
    if (digits == rest.size())
        return name;
    rest = rest.substr(0, digits);
    const std::string_view before = isInBrackets ? " (" : " ";
    return rest.ends_with(before) ? rest.substr(0, rest.size() - before.size()) : name;
}

// Facts behind names that are equal but for numbers.
class Distinction {
public:
    Distinction(std::span<const Named> names, const std::vector<std::size_t>& members)
        : m_names(names)
        , m_members(members) {
        for (const std::size_t at : members)
            m_facts = std::max(m_facts, names[at].facts.size());
    }

    [[nodiscard]] std::vector<std::string> texts() const {
        for (std::size_t fact = 0; fact < m_facts; ++fact) {
            auto said = behind(fact, fact + 1);
            if (std::set<std::string>(said.begin(), said.end()).size() == said.size())
                return said;
        }
        return behind(0, m_facts);
    }

private:
    [[nodiscard]] bool differs(std::size_t fact) const {
        return std::any_of(m_members.begin(), m_members.end(), [&](std::size_t at) {
            return factOf(m_names[at], fact) != factOf(m_names[m_members.front()], fact);
        });
    }
    [[nodiscard]] std::vector<std::string> behind(std::size_t from, std::size_t to) const {
        std::vector<std::string> said(m_members.size());
        for (std::size_t fact = from; fact < to; ++fact) {
            if (!differs(fact))
                continue;
            for (std::size_t i = 0; i < said.size(); ++i) {
                const std::string& own = factOf(m_names[m_members[i]], fact);
                said[i] += own.empty() ? own : " · " + own;
            }
        }
        return said;
    }

    std::span<const Named> m_names;
    const std::vector<std::size_t>& m_members;
    std::size_t m_facts = 0;
};

// Places by their text, where several have the same.
std::vector<std::vector<std::size_t>> alike(
    const std::vector<std::string>& texts, const std::vector<std::size_t>& places) {
    std::map<std::string, std::vector<std::size_t>> byText;
    for (const std::size_t at : places)
        byText[texts[at]].push_back(at);
    std::vector<std::vector<std::size_t>> groups;
    for (auto& [text, members] : byText) {
        if (members.size() > 1)
            groups.push_back(std::move(members));
    }
    return groups;
}

std::vector<std::size_t> placesOf(std::size_t count) {
    std::vector<std::size_t> places(count);
    for (std::size_t i = 0; i < count; ++i)
        places[i] = i;
    return places;
}

// The longest of texts that grow with the number of characters; empty where none fits.
template <typename Make>
std::string longestThatFits(std::size_t most, const Fits& fits, Make make) {
    std::size_t low = 0;
    while (low < most) {
        const std::size_t middle = (low + most + 1) / 2;
        if (fits(make(middle)))
            low = middle;
        else
            most = middle - 1;
    }
    return low == 0 ? std::string() : make(low);
}

std::size_t characterStart(std::string_view text, std::size_t at) {
    while (at > 0 && at < text.size() && !startsCharacter(text[at]))
        --at;
    return at;
}

class NameFitting {
public:
    NameFitting(std::span<const std::string> names, const Fits& fits)
        : m_names(names)
        , m_fits(fits) {
        for (const std::string& name : names)
            m_texts.push_back(cut(name, [](const std::string& text, std::size_t width) {
                return elidedInMiddle(text, width);
            }));
    }

    std::vector<std::string> fitted() && {
        for (const auto& group : alike(m_texts, placesOf(m_texts.size())))
            tellApart(group);
        return std::move(m_texts);
    }

private:
    template <typename Cut>
    [[nodiscard]] std::string cut(const std::string& text, Cut shorten) const {
        constexpr std::size_t kLeast = 2; // a character and the ellipsis
        if (m_fits(text))
            return text;
        std::string best = longestThatFits(displayWidth(text), m_fits,
            [&](std::size_t width) { return shorten(text, std::max(width, kLeast)); });
        return best.empty() ? text : best;
    }

    // Shows all from where the names begin to differ.
    void tellApart(const std::vector<std::size_t>& members) {
        const std::string& first = m_names[members.front()];
        std::size_t shared = first.size();
        for (const std::size_t at : members)
            shared = std::min(shared, equalAtBegin(first, m_names[at]));
        const auto isEqual = [&](std::size_t at) { return m_names[at] == first; };
        if (std::all_of(members.begin(), members.end(), isEqual))
            return;
        const std::size_t word = wordsAtBegin(first, shared, kSeparators);
        const std::size_t character = characterStart(first, shared);
        for (const std::size_t from : {word, character}) {
            for (const std::size_t at : members)
                m_texts[at] = cut((from > 0 ? kEllipsis : "") + m_names[at].substr(from), elided);
            if (alike(m_texts, members).empty())
                return;
        }
        for (const auto& group : alike(m_texts, members)) {
            if (group.size() < members.size())
                tellApart(group);
        }
    }

    std::span<const std::string> m_names;
    const Fits& m_fits;
    std::vector<std::string> m_texts;
};

// The digits at the front, without leading zeros; taken off the text.
std::string_view takeNumber(std::string_view& text) {
    const auto end = static_cast<std::size_t>(
        std::find_if_not(text.begin(), text.end(), isDigit) - text.begin());
    std::string_view digits = text.substr(0, end);
    text.remove_prefix(end);
    while (digits.size() > 1 && digits.front() == '0')
        digits.remove_prefix(1);
    return digits;
}

} // namespace

std::vector<std::string> tellingNames(std::span<const Named> names) {
    std::vector<std::string> whole;
    for (const Named& named : names)
        whole.push_back(named.name);
    const SharedEnds ends = endsToLeaveOut(whole);
    std::vector<Named> parts;
    for (const Named& named : names)
        parts.push_back({std::string(without(named.name, ends)), named.facts});
    return toldApart(parts);
}

std::vector<std::string> tellingNames(std::span<const std::string> names) {
    std::vector<Named> named;
    for (const std::string& name : names)
        named.push_back({name, {}});
    return tellingNames(named);
}

std::vector<std::string> toldApart(std::span<const Named> names) {
    std::vector<std::string> texts;
    std::set<std::string_view> known;
    for (const Named& named : names) {
        texts.push_back(named.name);
        known.insert(named.name);
    }
    std::vector<std::string> bases;
    for (const Named& named : names) {
        const std::string_view base = withoutNumber(named.name);
        bases.emplace_back(known.contains(base) ? base : std::string_view(named.name));
    }
    for (const auto& group : alike(bases, placesOf(bases.size()))) {
        const auto said = Distinction(names, group).texts();
        for (std::size_t i = 0; i < group.size(); ++i)
            texts[group[i]] += said[i];
    }
    for (const auto& group : alike(texts, placesOf(texts.size()))) {
        for (std::size_t i = 1; i < group.size(); ++i)
            texts[group[i]] += " (" + std::to_string(i + 1) + ")";
    }
    return texts;
}

std::vector<std::string> fittedNames(std::span<const std::string> names, const Fits& fits) {
    return NameFitting(names, fits).fitted();
}

std::string joined(std::span<const std::string> names) {
    std::string all;
    for (std::size_t i = 0; i < names.size(); ++i)
        all += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
    return all;
}

std::strong_ordering naturalOrder(std::string_view a, std::string_view b) {
    while (!a.empty() && !b.empty()) {
        if (isDigit(a.front()) && isDigit(b.front())) {
            const std::string_view left = takeNumber(a);
            const std::string_view right = takeNumber(b);
            // A longer number without leading zeros is the greater one.
            if (left.size() != right.size())
                return left.size() <=> right.size();
            if (const auto order = left.compare(right) <=> 0; order != 0)
                return order;
            continue;
        }
        if (const auto order = a.front() <=> b.front(); order != 0)
            return order;
        a.remove_prefix(1);
        b.remove_prefix(1);
    }
    return a.size() <=> b.size();
}

} // namespace trainscope::text
