#include "importers/launch/Arguments.h"

#include "core/model/AsciiText.h"
#include "importers/launch/ShellText.h"

#include <algorithm>
#include <string>

namespace trainscope::importers::launch {

namespace {

constexpr std::size_t kMaxSettings = 20'000;
constexpr std::size_t kMaxLine = 4096;

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
    Settings read(std::string_view text) {
        readCommands(ShellText(text));
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

Settings readArguments(std::string_view text) {
    return ArgumentReader().read(text);
}

} // namespace trainscope::importers::launch
