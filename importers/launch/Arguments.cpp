#include "importers/launch/Arguments.h"

#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"

#include <algorithm>
#include <cstdint>

namespace trainscope::importers::launch {
namespace {

// As much of a shell script as is needed to read the arguments of a command in it.

constexpr int kMaxExpansions = 8;
constexpr std::size_t kMaxValue = 200;
constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kSeparators = " \t\r\n\"'`;";

bool isNameStart(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

bool isNamePart(char c) {
    return isNameStart(c) || (c >= '0' && c <= '9');
}

bool isBlank(char c) {
    return kBlanks.find(c) != std::string_view::npos;
}

// One line without its comment.
std::string_view withoutComment(std::string_view line) {
    const std::size_t first = line.find_first_not_of(kBlanks);
    if (first != std::string_view::npos && line.substr(first).starts_with("#SBATCH"))
        return line.substr(first + 7);
    for (std::size_t at = line.find('#'); at != std::string_view::npos;
         at = line.find('#', at + 1)) {
        if (at == 0 || isBlank(line[at - 1]))
            return line.substr(0, at);
    }
    return line;
}

std::string cleaned(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = withoutComment(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        while (!line.empty() && line.back() == '\r')
            line.remove_suffix(1);
        const bool goesOn = line.ends_with('\\');
        out += goesOn ? line.substr(0, line.size() - 1) : line;
        out += goesOn ? ' ' : '\n';
    }
    return out;
}

// The value that stands at the front of `text`, without its quotes.
std::string_view valueAt(std::string_view text) {
    if (text.starts_with('"') || text.starts_with('\''))
        return text.substr(1, text.find(text.front(), 1) - 1);
    if (text.starts_with("$((")) // blanks may stand inside
        return text.substr(0, std::min(text.find("))"), text.size() - 2) + 2);
    return text.substr(0, text.find_first_of(" \t\n;"));
}

class ShellText {
public:
    // Takes out comments (not #SBATCH lines), joins continued lines, notes assignments.
    explicit ShellText(std::string_view text)
        : m_text(cleaned(text)) {
        noteAssignments();
    }

    // Everything that blanks, quotes, brackets of arrays and semicolons separate.
    [[nodiscard]] std::vector<std::string> words() const {
        std::vector<std::string> words;
        std::string word;
        int nested = 0; // ${…} and $((…)), which may hold separators
        const auto flush = [&] {
            // A comma by itself stands between the quoted items of a printed list.
            if (!word.empty() && word != ",")
                words.push_back(std::move(word));
            word.clear();
        };
        for (const char c : m_text) {
            const bool opens = (c == '{' || c == '(') && !word.empty()
                && (word.back() == '$' || (nested > 0 && c == '('));
            if (opens)
                ++nested;
            else if (nested > 0 && (c == '}' || c == ')'))
                --nested;
            else if (nested > 0 && c == '\n')
                nested = 0; // never closed
            const bool separates = nested == 0
                && (kSeparators.find(c) != std::string_view::npos || c == '('
                    || (c == ')' && !word.starts_with('$')));
            if (separates)
                flush();
            else
                word += c;
        }
        flush();
        return words;
    }
    // The word with its variables put in; absent where one is not assigned here.
    [[nodiscard]] std::optional<std::string> resolve(std::string_view word) const {
        return resolve(word, kMaxExpansions);
    }
    // As assigned, by name.
    [[nodiscard]] const auto& variables() const { return m_variables; }

private:
    void noteAssignments() {
        const std::string_view text = m_text;
        for (std::size_t at = text.find('='); at != std::string_view::npos;
             at = text.find('=', at + 1)) {
            std::size_t begin = at;
            while (begin > 0 && isNamePart(text[begin - 1]))
                --begin;
            const bool isName = begin < at && isNameStart(text[begin])
                && (begin == 0 || isBlank(text[begin - 1]) || text[begin - 1] == ';');
            const std::string_view value = valueAt(text.substr(at + 1));
            if (isName && value.size() <= kMaxValue)
                m_variables.try_emplace(std::string(text.substr(begin, at - begin)), value);
        }
    }
    [[nodiscard]] std::optional<std::string> resolve(std::string_view word, int hops) const {
        const std::size_t at = word.find('$');
        if (at == std::string_view::npos)
            return std::string(word);
        if (hops == 0)
            return std::nullopt;
        std::string_view rest = word.substr(at + 1);
        std::optional<std::string> value;
        if (rest.starts_with("((")) {
            const std::size_t end = rest.find("))");
            if (end == std::string_view::npos)
                return std::nullopt;
            value = product(rest.substr(2, end - 2), hops - 1);
            rest.remove_prefix(end + 2);
        } else if (rest.starts_with('{')) {
            const std::size_t end = rest.find('}');
            if (end == std::string_view::npos)
                return std::nullopt;
            value = variable(rest.substr(1, end - 1), hops - 1);
            rest.remove_prefix(end + 1);
        } else {
            const auto last = std::find_if_not(rest.begin(), rest.end(), isNamePart);
            const auto length = static_cast<std::size_t>(last - rest.begin());
            value = variable(rest.substr(0, length), hops - 1);
            rest.remove_prefix(length);
        }
        const auto behind = resolve(rest, hops - 1);
        if (!value || !behind)
            return std::nullopt;
        return std::string(word.substr(0, at)) + *value + *behind;
    }
    // "NAME", or "NAME:-default" and "NAME-default".
    [[nodiscard]] std::optional<std::string> variable(std::string_view name, int hops) const {
        const auto last = std::find_if_not(name.begin(), name.end(), isNamePart);
        const std::string_view plain
            = name.substr(0, static_cast<std::size_t>(last - name.begin()));
        const auto found = m_variables.find(plain);
        // NAME=${NAME:-4} speaks of the environment's.
        if (found != m_variables.end() && found->second.find(plain) == std::string::npos)
            return resolve(found->second, hops);
        if (found != m_variables.end() && last == name.end() && hops > 0) {
            const std::string_view own = found->second;
            const std::size_t dash = own.find('-');
            return own.starts_with("${") && own.ends_with('}') && dash != std::string_view::npos
                ? resolve(own.substr(dash + 1, own.size() - dash - 2), hops - 1)
                : std::nullopt;
        }
        std::string_view rest = name.substr(plain.size());
        if (rest.starts_with(':'))
            rest.remove_prefix(1);
        return rest.starts_with('-') ? resolve(rest.substr(1), hops) : std::nullopt;
    }
    // Factors and divisors from left to right; absent for anything else.
    [[nodiscard]] std::optional<std::string> product(std::string_view expression, int hops) const {
        std::int64_t result = 1;
        char sign = '*';
        while (true) {
            const std::size_t end = std::min(expression.find_first_of("*/"), expression.size());
            std::string term(trimmed(expression.substr(0, end)));
            if (!term.empty() && isNameStart(term.front()))
                term.insert(0, 1, '$');
            const auto number = wholeNumber<std::int64_t>(resolve(term, hops).value_or(""));
            if (!number || *number <= 0 || *number > (std::int64_t{1} << 31)
                || result > (std::int64_t{1} << 31))
                return std::nullopt;
            result = sign == '*' ? result * *number : result / *number;
            if (end == expression.size())
                return std::to_string(result);
            sign = expression[end];
            expression.remove_prefix(end + 1);
        }
    }

    std::string m_text;
    std::map<std::string, std::string, std::less<>> m_variables;
};

constexpr std::size_t kMaxSettings = 20'000;
constexpr std::size_t kMaxLine = 4096;
constexpr std::size_t kMaxNamespace = std::size_t{64} << 10;

bool isKey(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
    });
}

std::string withUnderscores(std::string_view key) {
    std::string out(key);
    std::replace(out.begin(), out.end(), '-', '_');
    return out;
}

// GPT-NeoX says behind a value, after dots to a fixed column, whether it is the default.
std::string_view withoutVerdict(std::string_view value) {
    for (const std::string_view verdict : {"updated", "default"}) {
        if (!value.ends_with(verdict))
            continue;
        value.remove_suffix(verdict.size());
        return trimmed(value.substr(0, value.find_last_not_of('.') + 1));
    }
    return value;
}

class ArgumentReader {
public:
    Settings read(std::string_view text, Variables variables) {
        const ShellText shell(text);
        if (variables == Variables::Stated) {
            for (const auto& [name, value] : shell.variables())
                setResolved(shell, lowered(name), value);
        }
        readCommands(shell);
        readNamespace(text);
        readLines(text);
        return std::move(m_settings);
    }

private:
    void set(std::string_view key, std::string value) {
        if (isKey(key) && m_settings.size() < kMaxSettings)
            m_settings.insert_or_assign(withUnderscores(key), std::move(value));
    }

    void readCommands(const ShellText& shell) {
        const auto words = shell.words();
        for (std::size_t i = 0; i < words.size(); ++i) {
            const std::string_view word = words[i];
            const std::size_t equals = word.find('=');
            if (word.starts_with("--") && word.size() > 2) {
                const std::string_view key = word.substr(2, equals - 2);
                if (equals != std::string_view::npos)
                    setResolved(shell, key, word.substr(equals + 1));
                else if (i + 1 < words.size() && !words[i + 1].starts_with("--"))
                    setResolved(shell, key, words[i + 1]);
                else
                    set(key, "true");
            } else if (equals != std::string_view::npos) {
                readOverride(shell, word.substr(0, equals), word.substr(equals + 1));
            }
        }
    }

    // Hydra's: "model.num_layers=96", "++trainer.devices=8".
    void readOverride(const ShellText& shell, std::string_view key, std::string_view value) {
        key.remove_prefix(std::min(key.find_first_not_of('+'), key.size()));
        if (key.starts_with("model.") || key.starts_with("trainer."))
            setResolved(shell, key, value);
    }

    void setResolved(const ShellText& shell, std::string_view key, std::string_view value) {
        if (auto known = shell.resolve(value))
            set(key, std::move(*known));
    }

    void readLines(std::string_view text) {
        while (!text.empty()) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            const std::string_view line = text.substr(0, std::min(end, kMaxLine));
            readDots(line);
            readPaddedVocabulary(line);
            text.remove_prefix(std::min(end + 1, text.size()));
        }
    }

    // The last one: of several programs the training is started last.
    void readNamespace(std::string_view text) {
        constexpr std::string_view kMark = "Namespace(";
        const std::size_t at = text.rfind(kMark);
        if (at == std::string_view::npos)
            return;
        text = text.substr(at + kMark.size(), kMaxNamespace);
        int nested = 0; // in lists, tuples and calls
        std::size_t begin = 0;
        for (std::size_t i = 0; i < text.size() && nested >= 0 && text[i] != '\n'; ++i) {
            nested += text[i] == '(' || text[i] == '[' || text[i] == '{' ? 1 : 0;
            nested -= text[i] == ')' || text[i] == ']' || text[i] == '}' ? 1 : 0;
            if (nested < 0 || (nested == 0 && text[i] == ',')) {
                setAssigned(trimmed(text.substr(begin, i - begin)));
                begin = i + 1;
            }
        }
    }

    // "key='value'"
    void setAssigned(std::string_view text) {
        const std::size_t equals = text.find('=');
        if (equals == std::string_view::npos)
            return;
        std::string_view value = text.substr(equals + 1);
        if (value.size() > 1 && (value.front() == '\'' || value.front() == '"'))
            value = value.substr(1, value.size() - 2);
        set(text.substr(0, equals), std::string(value));
    }

    // "[prefix] key ....... value"
    void readDots(std::string_view line) {
        const std::size_t dots = line.find(" ..");
        if (dots == std::string_view::npos)
            return;
        const std::size_t after = line.find_first_not_of('.', dots + 1);
        if (after == std::string_view::npos || line[after] != ' ')
            return;
        std::string_view key = trimmed(line.substr(0, dots));
        key = key.substr(key.find_last_of(" \t") + 1);
        const std::string_view value = withoutVerdict(trimmed(line.substr(after)));
        // "ninja ......... [OKAY]" is no setting that anyone looks for.
        if (key.find('.') == std::string_view::npos)
            set(key, std::string(value));
    }

    void readPaddedVocabulary(std::string_view line) {
        constexpr std::string_view kMark = "(new size: ";
        const std::size_t at = line.find("padded vocab ");
        const std::size_t size = at == std::string_view::npos ? at : line.find(kMark, at);
        if (size == std::string_view::npos)
            return;
        const std::string_view number = line.substr(size + kMark.size());
        set("padded_vocab_size", std::string(number.substr(0, number.find(')'))));
    }

    Settings m_settings;
};

} // namespace

Settings readArguments(std::string_view text, Variables variables) {
    return ArgumentReader().read(text, variables);
}

} // namespace trainscope::importers::launch
