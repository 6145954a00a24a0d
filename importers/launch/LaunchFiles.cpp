#include "importers/launch/LaunchFiles.h"

#include "core/model/AsciiText.h"
#include "core/model/Secrets.h"
#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "importers/common/GpuIdentity.h"
#include "importers/common/RunFolders.h"
#include "importers/launch/Fields.h"

namespace trainscope::importers::launch {
namespace {

bool endsWithOneOf(std::string_view text, std::initializer_list<std::string_view> endings) {
    return std::any_of(endings.begin(), endings.end(),
        [text](std::string_view ending) { return text.ends_with(ending); });
}

bool holdsOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(),
        [text](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

Result<Settings> settingsOf(LaunchKind kind, std::string_view text, const std::string& where) {
    switch (kind) {
    case LaunchKind::Yaml:
        return readYamlSettings(text, where);
    case LaunchKind::Toml:
        return readTomlSettings(text, where);
    case LaunchKind::Json:
        return readJsonSettings(text, where);
    case LaunchKind::Script:
    case LaunchKind::Environment:
        return readArguments(text, Variables::Stated);
    case LaunchKind::Text:
        break;
    }
    return readArguments(text);
}

// Any setting makes a YAML one; scripts and JSON hold much that is named alike.
bool isLaunch(LaunchKind kind, const LaunchConfig& config) {
    if (kind == LaunchKind::Yaml)
        return config != LaunchConfig{};
    return config.layers || config.tensorParallel || config.microBatch || config.globalBatch
        || config.zeroStage;
}

const char* whyNone(LaunchKind kind) {
    switch (kind) {
    case LaunchKind::Yaml:
        return "This YAML is no launch configuration: neither trainer.devices nor any model "
               "setting is in it.";
    case LaunchKind::Toml:
    case LaunchKind::Json:
        return "This file is no launch configuration: neither a batch size nor a number of layers "
               "is in it.";
    case LaunchKind::Text:
    case LaunchKind::Script:
    case LaunchKind::Environment:
        break;
    }
    return "There are no arguments of a training program in this text, such as "
           "--tensor-model-parallel-size or --num-layers.";
}

using Words = std::set<std::string, std::less<>>;

std::string_view stemOf(std::string_view path) {
    const std::string_view name = namePart(path);
    return name.substr(0, name.rfind('.'));
}

Words foldersOf(std::string_view path) {
    Words words;
    for (path = folderPart(path); !path.empty(); path = folderPart(path))
        words.emplace(namePart(path));
    return words;
}

Words gpusIn(const Words& folders) {
    Words found;
    for (const std::string& folder : folders) {
        for (const std::string_view family : gpuFamiliesIn(folder))
            found.emplace(family);
    }
    return found;
}

bool contradict(const Words& a, const Words& b) {
    const Words first = gpusIn(a);
    const Words second = gpusIn(b);
    return !first.empty() && !second.empty()
        && std::ranges::none_of(first, [&](const auto& gpu) { return second.contains(gpu); });
}

// More files of a kind than this are no launch configurations of one run.
constexpr std::size_t kMostBeside = 8;

// Names of the fields that both state, and differently: "micro batch, layers".
std::string differing(const LaunchConfig& a, const LaunchConfig& b) {
    std::string fields;
    forEachLaunchField([&](const char* name, auto member) {
        if (a.*member && b.*member && a.*member != b.*member)
            fields += (fields.empty() ? "" : ", ") + std::string(name);
    });
    std::ranges::replace(fields, '_', ' ');
    return fields;
}

// The folder whose settings the file holds: its own, or the one that a folder of settings is in.
std::string_view settingsFolder(std::string_view path) {
    const std::string_view own = folderPart(path);
    const std::string_view name = namePart(own);
    const bool isOfSettings
        = name == "config" || name == "configs" || name == "conf" || name == "train_configs";
    return isOfSettings ? folderPart(own) : own;
}

// Fills what `into` does not state from `more`, and notes what they state differently.
void joinMatch(const LaunchMatch& more, LaunchMatch& into) {
    std::string others = more.note;
    if (const std::string fields = differing(into.config, more.config); !fields.empty())
        others += (others.empty() ? "" : " ") + more.config.origin + " states another " + fields
            + " than " + into.config.origin + ", which was taken.";
    if (!others.empty())
        into.note += (into.note.empty() ? "" : " ") + others;
    if (more.paths.empty())
        return;
    joinLaunch(into.config, more.config);
    into.paths.insert(into.paths.end(), more.paths.begin(), more.paths.end());
}

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

std::optional<LaunchKind> launchKindOf(std::string_view path) {
    const std::string name = lowered(namePart(path));
    if (endsWithOneOf(name, {".yaml", ".yml"}))
        return LaunchKind::Yaml;
    if (name.ends_with(".toml"))
        return LaunchKind::Toml;
    if (name.ends_with(".json") && holdsOneOf(name, {"config", "deepspeed", "ds_", "zero", "args"}))
        return LaunchKind::Json;
    if (endsWithOneOf(name, {".sh", ".slurm", ".sbatch", ".bash"}))
        return LaunchKind::Script;
    if (endsWithOneOf(name, {".txt", ".log", ".out", ".args"}))
        return LaunchKind::Text;
    if (name.ends_with(".env"))
        return LaunchKind::Environment;
    return std::nullopt;
}

Result<LaunchConfig> readLaunch(LaunchKind kind, std::string_view text, const std::string& where) {
    ASSIGN_OR_RETURN(const auto settings, settingsOf(kind, text, where));
    LaunchConfig config = readFields(Fields(settings));
    if (!isLaunch(kind, config))
        return Error{ErrorCode::Unrecognised, whyNone(kind), where};
    config.origin = where;
    forEachLaunchField([&config](const char*, auto member) {
        if constexpr (std::is_same_v<decltype(member),
                          std::optional<std::string> LaunchConfig::*>) {
            if (config.*member)
                config.*member = withoutSecrets(*(config.*member));
        }
    });
    return config;
}

Result<LaunchConfig> readLaunchFile(const SourceTree& tree, const std::string& path) {
    const auto kind = launchKindOf(path);
    if (!kind)
        return Error{ErrorCode::Unrecognised, "This is no kind of launch configuration.", path};
    // The beginning of a log is enough; another kind of file that is longer is no launch file.
    const std::size_t limit = kMaxYamlBytes + (*kind == LaunchKind::Text ? 0 : 1);
    ASSIGN_OR_RETURN(const auto text, readHead(tree, path, limit));
    return readLaunch(*kind, text, path);
}

void joinLaunch(LaunchConfig& known, const LaunchConfig& more) {
    const std::string origin = known.origin;
    fillLaunch(known, more);
    if (!origin.empty())
        known.origin = origin + ", " + more.origin;
}

LaunchConfig readLaunchFiles(const SourceTree& tree, const std::vector<std::string>& paths) {
    LaunchConfig launch;
    for (const std::string& path : paths) {
        if (const auto more = readLaunchFile(tree, path); more.hasValue())
            joinLaunch(launch, more.value());
    }
    return launch;
}

LaunchFiles::LaunchFiles(const SourceTree& tree, RunsByPlace runs)
    : m_tree(tree)
    , m_runs(std::move(runs)) {
    for (const SourceFile& file : tree.files()) {
        const auto kind = file.problem.empty() ? launchKindOf(file.path) : std::nullopt;
        if (!kind)
            continue;
        (kind == LaunchKind::Yaml ? m_yaml : m_others).push_back(file.path);
        m_beside[std::string(settingsFolder(file.path))].push_back(file.path);
    }
}

LaunchMatch LaunchFiles::find(std::string_view folder, std::string_view runName) const {
    const std::string rootName(namePart(m_tree.displayPath({})));
    const Asked own{
        folder, folder.empty() ? std::string_view(rootName) : namePart(folder), runName};
    LaunchMatch match = yamlIn(own);
    if (match.paths.empty()) {
        LaunchMatch other = elsewhere(m_yaml, own);
        if (other.paths.empty() && other.note.empty())
            other.note = std::move(match.note);
        match = std::move(other);
    }
    addBeside({folder, namePart(runName), runName}, match);
    if (match.paths.empty()) {
        // A script or a log that states nothing is no surprise.
        LaunchMatch script = elsewhere(m_others, own);
        if (!script.paths.empty())
            return script;
    }
    while (!folder.empty()) {
        folder = folderPart(folder);
        if (m_runs.contains(folder))
            break;
        addBeside({folder, namePart(runName), runName}, match);
    }
    return match;
}

bool LaunchFiles::isForeign(std::string_view path, std::string_view run) const {
    auto known = m_runs.find(path);
    for (; known == m_runs.end() && !path.empty(); known = m_runs.find(path))
        path = folderPart(path);
    return known != m_runs.end() && !known->second.contains(std::string(run));
}

void LaunchFiles::addBeside(const Asked& asked, LaunchMatch& match) const {
    std::map<LaunchKind, std::vector<std::string>> kinds; // in the order of trust
    const auto beside = m_beside.find(asked.folder);
    if (beside == m_beside.end())
        return;
    const bool hasYaml = std::ranges::any_of(match.paths,
        [](const std::string& path) { return launchKindOf(path) == LaunchKind::Yaml; });
    for (const std::string& path : beside->second) {
        const LaunchKind kind = *launchKindOf(path);
        const bool isTaken = std::ranges::find(match.paths, path) != match.paths.end()
            || (hasYaml && kind == LaunchKind::Yaml);
        if (!isTaken && !isForeign(path, asked.run))
            kinds[kind].push_back(path);
    }
    for (const auto& [kind, paths] : kinds)
        joinMatch(joined(paths, asked.name), match);
}

bool LaunchFiles::accept(const std::string& path, LaunchMatch& match) const {
    auto known = m_read.find(path);
    if (known == m_read.end())
        known = m_read.emplace(path, readLaunchFile(m_tree, path)).first;
    const Result<LaunchConfig>& config = known->second;
    if (config.hasValue())
        match = {{path}, config.value(), {}};
    else
        match.note = config.error().describe();
    return config.hasValue();
}

// Joins what files of one kind state: all of them, or those that are named like the run.
LaunchMatch LaunchFiles::joined(
    const std::vector<std::string>& paths, std::string_view name) const {
    std::vector<LaunchMatch> all;
    std::vector<LaunchMatch> named;
    for (const std::string& path : paths) {
        LaunchMatch found;
        if (paths.size() > kMostBeside || !accept(path, found))
            continue;
        if (!name.empty() && standsAsWord(stemOf(path), name))
            named.push_back(found);
        all.push_back(std::move(found));
    }
    LaunchMatch together;
    for (const LaunchMatch& found : named.empty() ? all : named) {
        if (!differing(together.config, found.config).empty())
            return {{}, {},
                together.paths.front() + " and " + found.paths.front()
                    + " state different things; neither was used."};
        joinMatch(found, together);
    }
    return together;
}

LaunchMatch LaunchFiles::yamlIn(const Asked& asked) const {
    std::vector<std::string> named;
    std::vector<std::string> beside;
    std::vector<std::string> hydra;
    for (const std::string& path : m_yaml) {
        if (!isInside(path, asked.folder) || isForeign(path, asked.run))
            continue;
        const bool isBeside = settingsFolder(path) == asked.folder;
        if (isBeside && standsAsWord(stemOf(path), asked.name))
            named.push_back(path);
        if (isBeside)
            beside.push_back(path);
        if (path.ends_with(".hydra/config.yaml") || stemOf(path) == "hparams")
            hydra.push_back(path);
    }
    if (beside.size() > 1)
        beside.clear();
    LaunchMatch match;
    for (const auto* group : {&named, &beside, &hydra}) {
        for (const std::string& path : *group) {
            if (accept(path, match))
                return match;
        }
    }
    return match;
}

std::size_t LaunchFiles::closeness(std::string_view runFolder, const std::string& path) const {
    const Words here = foldersOf(m_tree.displayPath(std::string(runFolder)));
    const Words there = foldersOf(m_tree.displayPath(path));
    return static_cast<std::size_t>(
        std::ranges::count_if(here, [&](const auto& word) { return there.contains(word); }));
}

bool LaunchFiles::isCloserToAnotherRun(const Asked& asked, const Candidate& candidate) const {
    return std::ranges::any_of(m_runs, [&](const auto& place) {
        const std::string& folder = place.first;
        return folder != asked.folder && namePart(folder) == asked.name
            && closeness(folder, candidate.path) > candidate.score;
    });
}

LaunchMatch LaunchFiles::elsewhere(
    const std::vector<std::string>& files, const Asked& asked) const {
    const Words here = foldersOf(m_tree.displayPath(std::string(asked.folder)));
    std::vector<Candidate> candidates;
    std::string note;
    for (const std::string& path : files) {
        if (!standsAsWord(stemOf(path), asked.name) || isInside(path, asked.folder))
            continue;
        const Candidate candidate{path, closeness(asked.folder, path)};
        if (contradict(here, foldersOf(m_tree.displayPath(path))))
            note = path + " was not used: its folder names another GPU than the run's.";
        else if (isCloserToAnotherRun(asked, candidate))
            note = path + " was not used: it belongs to another run of the same name.";
        else
            candidates.push_back(candidate);
    }
    std::ranges::stable_sort(candidates, [&](const Candidate& a, const Candidate& b) {
        return a.score != b.score ? a.score > b.score
                                  : (stemOf(a.path) == asked.name && stemOf(b.path) != asked.name);
    });
    return best(candidates, std::move(note));
}

LaunchMatch LaunchFiles::best(const std::vector<Candidate>& candidates, std::string note) const {
    LaunchMatch first;
    std::size_t score = 0;
    for (const Candidate& candidate : candidates) {
        if (!first.paths.empty() && candidate.score < score)
            break;
        LaunchMatch found;
        if (!accept(candidate.path, found)) {
            note = found.note;
        } else if (first.paths.empty()) {
            first = std::move(found);
            score = candidate.score;
        } else {
            found.config.origin = first.config.origin;
            if (found.config != first.config)
                return {{}, {},
                    first.paths.front() + " and " + found.paths.front()
                        + " fit equally well; neither was used."};
        }
    }
    if (first.paths.empty())
        first.note = std::move(note);
    return first;
}

Settings readArguments(std::string_view text, Variables variables) {
    return ArgumentReader().read(text, variables);
}

} // namespace trainscope::importers::launch
