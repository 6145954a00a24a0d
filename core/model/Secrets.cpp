#include "core/model/Secrets.h"

#include "core/model/AsciiText.h"
#include "core/model/Gather.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace trainscope {

namespace {

constexpr std::string_view kHidden = "…";
constexpr std::string_view kQuotes = "\"'`";
constexpr std::string_view kSeparators = " \t\r\n\"'`;|&()<>";

// Endings of words of a name. Open MPI's orte_precondition_transports is the key of a job.
constexpr std::string_view kSurely
    = "secret secrets password passwords passwd passphrase credential "
      "credentials cookie jwt authorization apikey authkey signature "
      "precondition";
// Names of other things have them too, before their last word above all.
constexpr std::string_view kPerhaps = "key token auth private";
constexpr std::string_view kBehindThose = "id value data header pem base64 string pass";
constexpr std::string_view kNoSecrets = "true false yes no on off none null auto";
constexpr std::string_view kBeforeValues = "bearer basic = :";
// Beginnings of tokens of well-known services, and of JSON web tokens.
constexpr std::string_view kTokens
    = "hf_ sk- ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- AKIA ASIA "
      "AIza xoxb- xoxp- nvapi- npm_ pypi- r8_ wandb_v1_ eyJ";
constexpr std::string_view kWebToken = "eyJ";
constexpr std::size_t kLeastOfToken = 16;

template <typename Fits>
bool isAnyOf(std::string_view list, Fits&& fits) {
    const auto all = words(list, " ");
    return std::ranges::any_of(all, fits);
}

bool isOneOf(std::string_view word, std::string_view list) {
    return isAnyOf(list, [&word](std::string_view one) { return word == one; });
}

enum class Likely { No, Perhaps, Surely };

Likely likelyOf(std::string_view name) {
    const std::string low = lowered(name);
    auto parts = words(low, "_-. ?/:[]{},@$");
    const auto endsIn = [](std::string_view part, std::string_view endings) {
        return isAnyOf(
            endings, [&part](std::string_view ending) { return part.ends_with(ending); });
    };
    for (const std::string_view part : parts) {
        if (endsIn(part, kSurely))
            return Likely::Surely;
    }
    while (
        parts.size() > 1 && (isDigit(parts.back().front()) || isOneOf(parts.back(), kBehindThose)))
        parts.pop_back();
    return !parts.empty() && endsIn(parts.back(), kPerhaps) ? Likely::Perhaps : Likely::No;
}

bool isHidden(Likely likely, std::string_view value) {
    constexpr std::size_t longestNumber = 10; // "8", "1e-4", "0x7fff"
    const bool isPlain = isOneOf(lowered(value), kNoSecrets)
        || (!value.empty() && value.size() <= longestNumber && isDigit(value.front())
            && value.find_first_not_of("0123456789abcdefABCDEFx.-+_") == std::string_view::npos);
    return likely == Likely::Surely || (likely == Likely::Perhaps && !isPlain);
}

// Characters that a generator drew from 62: digits, small and capital letters in turn, and as many
// different ones as chance gives, 62·(1 − (61/62)ⁿ), within two standard deviations. Names that
// people join have words and repeat letters; checksums have one kind of letters.
bool looksRandom(std::string_view run) {
    constexpr std::size_t shortest = 32;
    constexpr std::size_t fewest = 16; // a part of the length, of each kind
    const auto kindOf = [](char c) { return isDigit(c) ? 0U : c == lowerChar(c) ? 1U : 2U; };
    std::array<std::size_t, 3> kinds{};
    std::size_t changes = 0;
    for (std::size_t i = 0; i < run.size(); ++i) {
        ++kinds.at(kindOf(run[i]));
        changes += std::size_t{i > 0 && kindOf(run[i]) != kindOf(run[i - 1])};
    }
    const auto length = static_cast<double>(run.size());
    const double different = 62.0 * (1.0 - std::pow(61.0 / 62.0, length));
    return run.size() >= shortest && *std::ranges::min_element(kinds) * fewest >= run.size()
        && static_cast<double>(changes) >= 0.42 * length
        && static_cast<double>(std::set<char>(run.begin(), run.end()).size()) >= 0.85 * different;
}

// A run of letters, digits, _ and -; "hf_transfer_is_enabled" is no token.
bool isToken(std::string_view run) {
    const auto isTokenOf = [run](std::string_view begin) {
        return run.starts_with(begin) && run.size() >= kLeastOfToken
            && std::any_of(run.begin() + static_cast<std::ptrdiff_t>(begin.size()), run.end(),
                [](char c) { return isDigit(c) || c != lowerChar(c); });
    };
    const auto parts = words(run, "_-");
    return isAnyOf(kTokens, isTokenOf) || std::ranges::any_of(parts, looksRandom);
}

bool isOfToken(char c) {
    return isDigit(c) || (lowerChar(c) >= 'a' && lowerChar(c) <= 'z') || c == '_' || c == '-';
}

std::string withoutTokens(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const auto end = std::ranges::find_if_not(text, isOfToken);
        const std::string_view run(text.begin(), end);
        const bool hides = isToken(run);
        out += hides ? kHidden : run;
        // A JSON web token has three parts.
        std::size_t length = run.size();
        while (hides && run.starts_with(kWebToken) && length < text.size()
            && (text[length] == '.' || isOfToken(text[length])))
            ++length;
        if (length == run.size() && length < text.size())
            out += text[length++];
        text.remove_prefix(length);
    }
    return out;
}

// "https://user:password@host/" and "https://TOKEN@host/"; "ssh://git@host" is a name.
std::string withoutLogin(std::string_view word) {
    const std::size_t begin = std::min(word.find("://"), word.size());
    const std::string_view rest = word.substr(std::min(begin + 3, word.size()));
    const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
    const std::size_t at = authority.rfind('@');
    if (at == std::string_view::npos || (at < kLeastOfToken && authority.find(':') > at))
        return withoutTokens(word);
    return fmt::format("{}://{}{}", word.substr(0, begin), kHidden, withoutTokens(rest.substr(at)));
}

// Walks over words, and knows at each what the one before it announced.
class SecretSearch {
public:
    std::string text(std::string_view text) {
        std::string out;
        for (std::size_t at = 0; at < text.size();) {
            if (kSeparators.find(text[at]) != std::string_view::npos) {
                out += text[at++];
                continue;
            }
            std::size_t end = std::min(text.find_first_of(kSeparators, at), text.size());
            // A value in quotes goes with its blanks.
            const bool isQuoted = at > 0 && kQuotes.find(text[at - 1]) != std::string_view::npos;
            if (isQuoted && isValue(text.substr(at, end - at)))
                end = std::min(text.find(text[at - 1], at), text.size());
            out += piece(text.substr(at, end - at), text.substr(end, 2));
            at = end;
        }
        return out;
    }

    // A value and an assignment go with all that is in the word.
    std::string word(std::string_view word) {
        const std::size_t equals = word.find('=');
        const bool isOfShell = std::exchange(m_isShell, word == "-c" || word == "-lc");
        const bool isWhole = isValue(word)
            || (!isOfShell && equals < word.find_first_of(kSeparators)
                && isSecret(word.substr(0, equals), word.substr(equals + 1)));
        return isWhole ? piece(word, {}) : text(word);
    }

private:
    [[nodiscard]] bool isValue(std::string_view word) const {
        return m_next != Likely::No && !word.starts_with('-')
            && !isOneOf(lowered(word), kBeforeValues);
    }

    std::string piece(std::string_view piece, std::string_view behind) {
        const bool wasLogin = std::exchange(m_isLogin, piece == "login"); // "wandb login KEY"
        if (isValue(piece) || (wasLogin && piece.size() > kLeastOfToken && piece.front() != '-'))
            return isHidden(wasLogin ? Likely::Surely : std::exchange(m_next, Likely::No), piece)
                ? std::string(kHidden)
                : withoutLogin(piece);
        if (m_next != Likely::No && !piece.starts_with('-'))
            return std::string(piece);
        const std::size_t equals = piece.find('=');
        const std::size_t end
            = std::min(equals == std::string_view::npos ? piece.find(':') : equals, piece.size());
        const std::string_view rest = piece.substr(std::min(end + 1, piece.size()));
        const Likely likely = likelyOf(piece.substr(0, end));
        // "name=", "name:", an option, or a key of JSON in its quotes.
        const bool announces = rest.empty()
            && (end < piece.size() || piece.starts_with('-')
                || (behind.size() == 2 && kQuotes.find(behind[0]) != std::string_view::npos
                    && behind[1] == ':'));
        m_next = announces ? likely : Likely::No;
        return !rest.empty() && !rest.starts_with("//") && isHidden(likely, rest)
            ? withoutLogin(piece.substr(0, end)) + piece[end] + std::string(kHidden)
            : withoutLogin(piece);
    }

    Likely m_next = Likely::No; // the next word is the value of such a name
    bool m_isLogin = false;
    bool m_isShell = false; // "bash -c '…'"
};

} // namespace

bool isSecret(std::string_view name, std::string_view value) {
    return isHidden(likelyOf(name), value);
}

std::string withoutSecrets(std::string_view text) {
    return SecretSearch().text(text);
}

std::vector<std::string> withoutSecrets(const std::vector<std::string>& words) {
    SecretSearch search;
    return vectorOf(words, [&](const std::string& word) { return search.word(word); });
}

} // namespace trainscope
