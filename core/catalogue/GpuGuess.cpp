#include "core/catalogue/GpuGuess.h"

#include "core/model/AsciiText.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <cmath>

namespace trainscope::catalogue {

namespace {

constexpr std::string_view kInferredMark = " (inferred)";
constexpr int kNamePoints = 4;
constexpr int kTotalPoints = 3;
constexpr int kReachedPoints = 2;
constexpr int kUsedPoints = 1;
constexpr int kMostPoints = 12;
constexpr int kLeastPoints = 4;

constexpr double kMemoryWithin = 0.05;
constexpr double kMemoryUsedFrom = 0.75;
constexpr double kClockWithin = 0.01;
constexpr double kPowerFrom = 0.95;
constexpr double kPowerTo = 1.08;
constexpr double kPowerBeyond = 1.15; // sensors show short peaks above a limit

// A word of its own, or behind a count: "8xH100", not "data100".
bool beginsWord(std::string_view text, std::size_t at) {
    if (at == 0 || !isLetter(text[at - 1]))
        return true;
    return text[at - 1] == 'x' && at >= 2 && isDigit(text[at - 2]);
}

bool holdsWord(std::string_view text, std::string_view word) {
    for (std::size_t at = text.find(word); at != std::string_view::npos;
         at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if (beginsWord(text, at) && (end == text.size() || !isDigit(text[end])))
            return true;
    }
    return false;
}

// The model that a name of a file or a folder holds.
const GpuModel* namedIn(std::string_view name) {
    const std::string text = plainDeviceName(name);
    for (const GpuModel& model : gpuModels()) {
        const bool isIt = std::any_of(model.match.begin(), model.match.end(),
            [&text](const std::string& word) { return holdsWord(text, word); });
        if (isIt)
            return &model;
    }
    return nullptr;
}

constexpr std::array<std::string_view, 3> kMakers{"NVIDIA ", "AMD Instinct ", "Tesla "};
constexpr std::size_t kLongestName = 48;

// Up to what cannot be part of a name: a quote, a comma, a bracket, the end of a line, two blanks.
std::string_view deviceNameAt(std::string_view text, std::size_t maker) {
    const std::size_t end = std::min(
        {text.size(), text.find_first_of("\"',;|()[]{}<>\t\r\n", maker), text.find("  ", maker)});
    std::string_view name = text.substr(0, end);
    while (name.ends_with(' ') || name.ends_with('.') || name.ends_with(':'))
        name.remove_suffix(1);
    return name;
}

struct NamedModel {
    const GpuModel* model = nullptr;
    std::string words;
};
std::vector<NamedModel> modelsNamedIn(const GpuTraces& traces) {
    std::vector<NamedModel> named;
    for (const std::string& name : traces.neighbours)
        named.push_back({findGpuModel(name), fmt::format("{} recorded in the same folder", name)});
    for (const std::string& name : traces.names)
        named.push_back({namedIn(name), fmt::format("named in {}", name)});
    return named;
}

class ModelScore {
public:
    ModelScore(const GpuModel& model, const GpuTraces& traces, const std::vector<NamedModel>& named)
        : m_model(&model)
        , m_traces(&traces) {
        const auto name = std::ranges::find(named, m_model, &NamedModel::model);
        if (name != named.end())
            speaks(kNamePoints, name->words);
        m_isOut = model.isFromDataSheet && m_points == 0;
        takeMemory();
        takeClock();
        takePower();
    }

    [[nodiscard]] bool isOut() const { return m_isOut; }
    // More points, else a size that is nearer to the memory.
    [[nodiscard]] auto rank() const { return std::pair(-m_points, m_memoryOff); }
    [[nodiscard]] int points() const { return m_points; }
    [[nodiscard]] GpuGuess guess() const {
        return {m_model, std::min(1.0, static_cast<double>(m_points) / kMostPoints), m_evidence};
    }

private:
    void speaks(int points, const std::string& words) {
        m_points += points;
        m_evidence += (m_evidence.empty() ? "" : ", ") + words;
    }

    void takeMemory() {
        if (!m_model->memoryBytes)
            return;
        const double size = *m_model->memoryBytes;
        if (const auto& total = m_traces->memoryTotalBytes) {
            m_memoryOff = std::abs(*total - size);
            const bool isIt = m_memoryOff <= kMemoryWithin * size;
            m_isOut = m_isOut || !isIt;
            if (isIt)
                speaks(kTotalPoints, text::rounded(*total, "B") + " of memory");
        } else if (const auto& used = m_traces->memoryUsedBytes) {
            m_isOut = m_isOut || *used > size;
            if (*used >= kMemoryUsedFrom * size)
                speaks(kUsedPoints, text::rounded(*used, "B") + " of memory used");
        }
    }

    void takeClock() {
        const auto& clock = m_traces->topClockHz;
        if (!clock || !m_model->boostClockHz)
            return;
        m_isOut = m_isOut || *clock > (1.0 + kClockWithin) * *m_model->boostClockHz;
        if (std::abs(*clock - *m_model->boostClockHz) <= kClockWithin * *m_model->boostClockHz)
            speaks(kReachedPoints, "clocks up to " + text::rounded(*clock, "Hz"));
    }

    void takePower() {
        const auto& power = m_traces->peakPowerW;
        if (!power || !m_model->powerLimitW)
            return;
        const double share = *power / *m_model->powerLimitW;
        m_isOut = m_isOut || share > kPowerBeyond;
        if (share >= kPowerFrom && share <= kPowerTo)
            speaks(kReachedPoints, "power up to " + text::rounded(*power, "W"));
    }

    const GpuModel* m_model;
    const GpuTraces* m_traces;
    int m_points = 0;
    double m_memoryOff = 0.0; // bytes
    bool m_isOut = false;
    std::string m_evidence;
};

} // namespace

std::optional<GpuGuess> guessGpuModel(const GpuTraces& traces) {
    std::vector<ModelScore> scores;
    const auto named = modelsNamedIn(traces);
    for (const GpuModel& model : gpuModels()) {
        ModelScore score(model, traces, named);
        if (!score.isOut() && score.points() >= kLeastPoints)
            scores.push_back(std::move(score));
    }
    std::sort(scores.begin(), scores.end(),
        [](const ModelScore& a, const ModelScore& b) { return a.rank() < b.rank(); });
    if (scores.empty() || (scores.size() > 1 && scores[0].rank() == scores[1].rank()))
        return std::nullopt;
    return scores.front().guess();
}

std::vector<std::string> deviceNamesIn(std::string_view text) {
    std::vector<std::string> names;
    std::set<const GpuModel*> known;
    for (const std::string_view maker : kMakers) {
        for (std::size_t at = text.find(maker); at != std::string_view::npos;
             at = text.find(maker, at + maker.size())) {
            const std::string_view name = deviceNameAt(text.substr(at, kLongestName), maker.size());
            const GpuModel* model = namedIn(name);
            if (model != nullptr && known.insert(model).second)
                names.emplace_back(name);
        }
    }
    return names;
}

std::string inferredName(const GpuModel& model) {
    return model.name + std::string(kInferredMark);
}

bool isInferredName(std::string_view name) {
    return name.ends_with(kInferredMark);
}

} // namespace trainscope::catalogue
