#include "app/whole/support/EnergySums.h"

#include "app/cli/support/RunCli.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <optional>

namespace trainscope::test {

namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

constexpr double kOtherOrder = 1e-9; // sums of other orders differ by that much

struct Whole {
    double joules = 0.0;
    double low = 0.0;
    double high = 0.0;
};
std::optional<Whole> wholeOf(const Json& json) {
    if (!json.contains("energy_j"))
        return std::nullopt;
    return Whole{json["energy_j"], json["energy_low_j"], json["energy_high_j"]};
}

class Sums {
public:
    explicit Sums(const AskedRun& asked)
        : m_asked(asked) { }

    void check() {
        const Json run = summary({});
        const Json gpus = run.value(Json::json_pointer("/energy_attribution/gpus"), Json::array());
        if (gpus.empty())
            return;
        summary({"--steady"});
        const auto whole = kernels({});
        operators({});
        const Json captures = run.value("energy_by_capture", Json::object());
        for (const auto& [capture, energy] : captures.items()) {
            const auto own = kernels({"--capture", capture});
            const double joules = energy.get<double>();
            if (own)
                compare("capture", joules, *own, true);
        }
        halves(whole, gpus.front());
    }
    Words take() { return std::move(m_wrong); }

private:
    [[nodiscard]] Json ask(const char* command, const Words& part, const Words& more = {}) {
        Words arguments{command, m_asked.database, "--run", m_asked.run.name, "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        arguments.insert(arguments.end(), part.begin(), part.end());
        m_place = fmt::format("{} of {} {}", command, m_asked.run.name, fmt::join(part, " "));
        return runCli(arguments).json();
    }

    void compare(const std::string& what, double sum, const Whole& whole, bool areAllKnown) {
        const double open = kOtherOrder * whole.high;
        const bool isInside = sum <= whole.high + open && (sum >= whole.low - open || !areAllKnown);
        if (!isInside)
            m_wrong.push_back(
                fmt::format("{}: {} sum to {:.6g} J, the whole is {:.6g} J ({:.6g} to "
                            "{:.6g})",
                    m_place, what, sum, whole.joules, whole.low, whole.high));
    }
    void compareMap(const Json& run, const std::string& by, const Whole& whole) {
        if (!run.contains(by))
            return;
        double sum = 0.0;
        for (const auto& [name, joules] : run[by].items()) {
            sum += joules.get<double>();
            const Json& interval = run[by + "_interval"][name];
            if (!(interval[0] <= joules && joules <= interval[1]))
                m_wrong.push_back(
                    fmt::format("{}: {} of {} outside its interval", m_place, by, name));
        }
        compare(by, sum, whole, !run.contains(by + "_unknown"));
    }

    Json summary(const Words& part) {
        const Json run
            = ask("summary", part, {"--detail"}).value(Json::json_pointer("/runs/0"), Json());
        const auto whole = wholeOf(run.value("energy_attribution", Json::object()));
        if (!whole)
            return run;
        for (const char* by :
            {"energy_by_phase", "energy_by_category", "energy_by_capture", "energy_by_stage"})
            compareMap(run, by, *whole);
        double gpus = 0.0;
        for (const Json& gpu : run["energy_attribution"]["gpus"])
            gpus += gpu.value("energy_j", 0.0);
        compare("GPUs", gpus, {whole->joules, whole->joules, whole->joules}, true);
        return run;
    }

    // The energy of all ranks; absent where one is not known.
    std::optional<Whole> kernels(const Words& part) {
        std::optional<Whole> all = Whole();
        const Json ranks = ask("kernels", part)["ranks"];
        m_ranks.clear();
        for (const Json& rank : ranks) {
            const auto whole = wholeOf(rank);
            if (whole)
                m_ranks[rank["rank"]] = *whole;
            if (!whole || !all) {
                all.reset();
                continue;
            }
            all = Whole{
                all->joules + whole->joules, all->low + whole->low, all->high + whole->high};
            double parts = rank["copies"].value("energy_j", 0.0);
            for (const auto& [name, category] : rank["categories"].items())
                parts += category.value("energy_j", 0.0);
            compare("categories and copies", parts, *whole, false); // idle has the rest
            ofCategories(rank);
        }
        return all;
    }
    // The kernels of a category sum to it.
    void ofCategories(const Json& rank) {
        for (const auto& [name, category] : rank["categories"].items()) {
            const auto whole = wholeOf(category);
            double sum = 0.0;
            bool areAllKnown = true;
            for (const Json& kernel : rank["kernels"]) {
                if (kernel["category"] != name)
                    continue;
                areAllKnown = areAllKnown && kernel.contains("energy_j");
                sum += kernel.value("energy_j", 0.0);
            }
            if (whole)
                compare("kernels of " + name, sum, *whole, areAllKnown);
        }
    }

    // Each piece of work is of one operator.
    void operators(const Words& part) {
        const Json rows = ask("operators", part, {"--by", "operator"})["ranks"];
        for (const Json& rank : rows) {
            double sum = 0.0;
            for (const Json& row : rank["operators"])
                sum += row.value("energy_j", 0.0);
            if (const auto whole = m_ranks.find(rank["rank"]); whole != m_ranks.end())
                compare("operators", sum, whole->second, false);
        }
    }

    // Halves of a GPU's traced time; the kernels of one half have ended before the other begins.
    void halves(const std::optional<Whole>& whole, const Json& gpu) {
        const double begin
            = (gpu["start_ns"].get<double>() - static_cast<double>(m_asked.run.range.begin.ns))
            * 1e-9;
        const std::string middle
            = fmt::format("{:.6f}", begin + gpu["duration_s"].get<double>() / 2.0);
        const auto first = kernels({"--to", middle});
        const auto second = kernels({"--from", middle});
        if (!whole || !first || !second)
            return;
        const double half = 0.5 * (first->high - first->low + second->high - second->low);
        compare("halves", first->joules + second->joules,
            {whole->joules, whole->low - half, whole->high + half}, true);
    }

    const AskedRun& m_asked;
    std::map<int, Whole> m_ranks; // as kernels() told last
    std::string m_place;
    Words m_wrong;
};

} // namespace

std::vector<std::string> wrongEnergySums(const AskedRun& asked) {
    Sums sums(asked);
    sums.check();
    return sums.take();
}

} // namespace trainscope::test
