#pragma once
// The settings that training programs print before they train, collected from lines of their logs:
// Megatron's and GPT-NeoX's block of arguments ("  hidden_size ........ 12288"), the command that a
// launcher repeats, and the configuration that NeMo prints as YAML. Keeps kMostBytes at most.

#include "core/model/Run.h"
#include "importers/launch/Settings.h"
#include "importers/trainlog/LineHead.h"

namespace trainscope::importers::trainlog {

// The GPUs that a text names, "NVIDIA H100 80GB HBM3"; empty where it names none, or several.
std::string gpuNamedIn(std::string_view text);

// A number among the settings.
std::optional<double> numberIn(const launch::Settings& settings, std::string_view key);
// The launch configuration that they state; empty where they state none.
LaunchConfig launchOf(const launch::Settings& settings, const std::string& origin);
// The largest of several numbers: DeepSpeed calls the data-parallel degree "world_size".
std::optional<double> gpusOf(const LaunchConfig& launch, const launch::Settings& settings);

class LogSettings {
public:
    static constexpr std::size_t kMostBytes = std::size_t{2} << 20;

    void add(std::string_view line, const LineHead& head);
    [[nodiscard]] launch::Settings read() const;
    [[nodiscard]] std::string gpuModel() const;

private:
    bool addYaml(std::string_view line);

    std::string m_arguments; // lines with dots
    std::string m_commands;
    std::string m_yaml;
    std::string m_devices; // lines that may name GPUs
    bool m_inYaml = false;
};

} // namespace trainscope::importers::trainlog
