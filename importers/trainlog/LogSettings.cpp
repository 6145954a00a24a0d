#include "importers/trainlog/LogSettings.h"

#include "core/catalogue/GpuGuess.h"
#include "core/model/AsciiText.h"
#include "importers/common/Number.h"
#include "importers/launch/Arguments.h"
#include "importers/launch/Fields.h"

namespace trainscope::importers::trainlog {

namespace {

constexpr std::size_t kLongestLine = 8192;

void append(std::string& text, std::string_view line) {
    if (text.size() + line.size() < LogSettings::kMostBytes) {
        text += line.substr(0, kLongestLine);
        text += '\n';
    }
}

// True for a command that starts other programs; a script's own text also has dashes.
bool isCommand(std::string_view line) {
    constexpr std::array<std::string_view, 4> kLaunchers{
        "torchrun ", "torch.distributed", "deepspeed.launcher", " cmd = "};
    if (line.find(" --") == std::string_view::npos)
        return false;
    return std::any_of(kLaunchers.begin(), kLaunchers.end(), [line](std::string_view launcher) {
        return line.find(launcher) != std::string_view::npos;
    });
}

} // namespace

std::string gpuNamedIn(std::string_view text) {
    const auto names = catalogue::deviceNamesIn(text);
    if (names.size() != 1)
        return {};
    // A sentence may go on behind the name: "NVIDIA B200 with 178 GiB memory".
    std::string name = names.front();
    for (std::size_t blank = name.find(' '); blank != std::string::npos;
         blank = name.find(' ', blank + 1)) {
        const char next = blank + 1 < name.size() ? name[blank + 1] : 'a';
        if (next == lowerChar(next) && !isDigit(next)) {
            name.resize(blank);
            break;
        }
    }
    return name;
}

std::string LogSettings::gpuModel() const {
    return gpuNamedIn(m_devices);
}

void LogSettings::add(std::string_view line, const LineHead& head) {
    if (line.find("NVIDIA ") != std::string_view::npos
        || line.find("AMD Instinct ") != std::string_view::npos)
        append(m_devices, line);
    if (addYaml(head.rest))
        return;
    if (line.find(" ..") != std::string_view::npos
        || line.find("padded vocab") != std::string_view::npos)
        append(m_arguments, line);
    else if (isCommand(line))
        append(m_commands, head.rest);
}

// NeMo: "*** Experiment configuration ***", an empty line, the YAML.
bool LogSettings::addYaml(std::string_view line) {
    if (line.find("Experiment configuration *") != std::string_view::npos) {
        m_inYaml = m_yaml.empty();
        return true;
    }
    if (!m_inYaml)
        return false;
    const std::string_view text = trimmed(line);
    const bool isYaml = text.find(':') != std::string_view::npos || text.starts_with("- ");
    if (text.empty())
        return m_inYaml;
    m_inYaml = isYaml;
    if (isYaml)
        append(m_yaml, line);
    return isYaml;
}

launch::Settings LogSettings::read() const {
    launch::Settings settings = launch::readArguments(m_commands);
    if (!m_yaml.empty()) {
        auto yaml = launch::readYamlSettings(m_yaml, "log");
        if (yaml.hasValue())
            settings.merge(std::move(yaml).value());
    }
    for (auto& [key, value] : launch::readArguments(m_arguments))
        settings.insert_or_assign(key, value);
    return settings;
}

std::optional<double> numberIn(const launch::Settings& settings, std::string_view key) {
    const auto found = settings.find(key);
    return found == settings.end() ? std::nullopt : parseNumber(found->second);
}

LaunchConfig launchOf(const launch::Settings& settings, const std::string& origin) {
    LaunchConfig config = launch::readFields(launch::Fields(settings));
    if (const auto model = settings.find("model_name"); model != settings.end())
        config.model = model->second;
    if (config == LaunchConfig{})
        return config;
    if (!config.workload)
        config.workload = Workload::Training;
    config.origin = origin;
    return config;
}

std::optional<double> gpusOf(const LaunchConfig& launch, const launch::Settings& settings) {
    std::optional<double> gpus;
    const auto take = [&gpus](std::optional<double> number) {
        if (number && *number > gpus.value_or(0.0))
            gpus = number;
    };
    take(numberIn(settings, "world_size"));
    take(numberIn(settings, "global_num_gpus"));
    if (const int launched = launchedGpus(launch); launched > 0)
        take(launched);
    if (launch.dataParallel)
        take(static_cast<double>(*launch.dataParallel) * launch.tensorParallel.value_or(1)
            * launch.pipelineParallel.value_or(1) * launch.contextParallel.value_or(1));
    return gpus;
}

} // namespace trainscope::importers::trainlog
