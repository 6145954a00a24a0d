#include "importers/launch/LaunchFile.h"

#include "core/model/AsciiText.h"
#include "core/model/Secrets.h"
#include "core/model/Try.h"
#include "importers/common/RunFolders.h"
#include "importers/launch/Arguments.h"
#include "importers/launch/ReadFields.h"
#include "importers/launch/Settings.h"

#include <algorithm>
#include <initializer_list>
#include <type_traits>

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

} // namespace trainscope::importers::launch
