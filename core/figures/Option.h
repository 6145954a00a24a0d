#pragma once
// An option of a figure as one value, from which everything that knows options is made: the flag of
// the command line with its help and completions, the control of the window, what is remembered,
// and what a report asks for. It reads texts into a member of the settings of a kind and writes the
// member as such texts again.

#include "core/model/Try.h"
#include "core/plot/figures/Figure.h"

#include <fmt/format.h>

#include <map>

namespace trainscope::figures {

using plot::FigureChoice;
using plot::FigureStatistic;

// The words of an option.
struct Option {
    std::string_view name; // its flag: "whole-run"
    std::string_view value; // placeholder of its value, "M"; empty: it is a switch
    std::string help; // for the command line
    bool isList = false; // may be given several times
    std::string_view title = {}; // label of its control in the window; empty: it has none there
    std::string_view tip = {};
    // Values by name; a text that is none of them may be one too, as the name of a file. The first
    // is the usual one where its key is empty. One without a title is not offered by the window.
    std::vector<plot::FigureChoice> choices = {};
};
using Texts = std::vector<std::string>;

// Options that were given, by name; a switch with an empty text.
class OptionValues {
public:
    void add(std::string_view name, std::string value = {});

    [[nodiscard]] bool has(std::string_view name) const { return m_values.contains(name); }
    [[nodiscard]] Texts all(std::string_view name) const;
    [[nodiscard]] std::vector<std::string> names() const;

private:
    std::map<std::string, Texts, std::less<>> m_values;
};

// "There is no statistic 'best'; there are mean, peak, …."
Error unknownChoice(std::string_view what, std::string_view given, std::string_view known);
Error unknownChoice(
    std::string_view what, std::string_view given, const std::vector<plot::FigureChoice>& known);

// Numbers as options are given. Usage for what is none, with the name of the option.
Result<double> numberGiven(std::string_view name, const std::string& text); // finite
Result<double> aboveZeroGiven(std::string_view name, const std::string& text);
Result<double> zeroOrMoreGiven(std::string_view name, const std::string& text);
Result<double> shareGiven(std::string_view name, const std::string& text); // 0 to 1
Result<std::int64_t> integerGiven(std::string_view name, const std::string& text);
Result<std::int64_t> countGiven(std::string_view name, const std::string& text); // 1 to 1e9
// A number of seconds. Usage for a time that nanoseconds cannot count.
Result<DurationNs> secondsGiven(std::string_view name, const std::string& text);
// The number of a rank. Usage for one that no run can have.
Result<int> rankGiven(std::string_view name, const std::string& text);

template <typename Settings>
struct OptionOf {
    Option words;
    // Takes the texts that were given; none: as usual. Usage for what cannot be.
    std::function<Status(Settings&, const Texts&)> set;
    // The texts that would set it so; none: as usual. Absent: nobody asks.
    std::function<Texts(const Settings&)> get = {};
    // The choices where they follow from other settings. Absent: those of the words.
    std::function<std::vector<plot::FigureChoice>(const Settings&)> choicesNow = {};
};

// The options of a kind of figure. A later one may build on those before it.
template <typename Settings>
class Options {
public:
    using One = OptionOf<Settings>;
    Options(std::vector<One> all)
        : m_all(std::move(all)) { }

    // nullptr: there is none of that name.
    [[nodiscard]] const One* find(std::string_view name) const {
        for (const One& one : m_all) {
            if (one.words.name == name)
                return &one;
        }
        return nullptr;
    }
    // Changes the settings by what was given.
    [[nodiscard]] Status apply(const OptionValues& given, Settings& settings) const {
        for (const One& one : m_all) {
            if (given.has(one.words.name))
                RETURN_IF_ERROR(one.set(settings, given.all(one.words.name)));
        }
        return {};
    }
    // Texts for the settings that are not the usual ones.
    [[nodiscard]] OptionValues given(const Settings& settings) const {
        OptionValues values;
        for (const One& one : m_all) {
            const Texts texts = one.get ? one.get(settings) : Texts();
            if (texts.empty() || texts == one.get(Settings{}))
                continue;
            for (const std::string& text : texts)
                values.add(one.words.name, text);
        }
        return values;
    }
    [[nodiscard]] bool isAnyGiven(const OptionValues& given) const {
        for (const One& one : m_all) {
            if (given.has(one.words.name))
                return true;
        }
        return false;
    }
    [[nodiscard]] std::vector<Option> described() const {
        std::vector<Option> all;
        for (const One& one : m_all)
            all.push_back(one.words);
        return all;
    }

private:
    std::vector<One> m_all;
};

// Options whose value is a member; `at` is a pointer to it, or gives a reference to it.
template <typename Settings, typename At>
OptionOf<Settings> switchOption(Option words, At at) {
    return {std::move(words),
        [at](Settings& settings, const Texts& given) {
            std::invoke(at, settings) = !given.empty();
            return Status();
        },
        [at](const Settings& settings) { return std::invoke(at, settings) ? Texts{{}} : Texts(); }};
}

template <typename Settings, typename At>
OptionOf<Settings> textOption(Option words, At at) {
    return {std::move(words),
        [at](Settings& settings, const Texts& given) {
            std::invoke(at, settings) = given.empty() ? std::string() : given.back();
            return Status();
        },
        [at](const Settings& settings) {
            const std::string& text = std::invoke(at, settings);
            return text.empty() ? Texts() : Texts{text};
        }};
}

// An option of several texts.
template <typename Settings, typename At>
OptionOf<Settings> listOption(Option words, At at) {
    words.isList = true;
    return {std::move(words),
        [at](Settings& settings, const Texts& given) {
            std::invoke(at, settings) = given;
            return Status();
        },
        [at](const Settings& settings) { return std::invoke(at, settings); }};
}

// An option of a number that may be absent; `read` is one of those above.
template <typename Settings, typename Number, typename At>
OptionOf<Settings> numberOption(
    Option words, Result<Number> (*read)(std::string_view name, const std::string& text), At at) {
    const std::string_view name = words.name;
    return {std::move(words),
        [name, read, at](Settings& settings, const Texts& given) {
            std::invoke(at, settings).reset();
            return given.empty() ? Status()
                                 : assign(read(name, given.back()), std::invoke(at, settings));
        },
        [at](const Settings& settings) {
            const auto& number = std::invoke(at, settings);
            if (!number)
                return Texts();
            if constexpr (std::is_same_v<Number, DurationNs>)
                return Texts{fmt::format("{}", static_cast<double>(number->ns) / 1e9)};
            else
                return Texts{fmt::format("{}", *number)};
        }};
}

// The option of a part of other settings; `at` gives the part.
template <typename Settings, typename Part, typename At>
OptionOf<Settings> liftedOption(const OptionOf<Part>& option, At at) {
    return {option.words,
        [set = option.set, at](Settings& settings, const Texts& given) {
            return set(std::invoke(at, settings), given);
        },
        [get = option.get, at](
            const Settings& settings) { return get(std::invoke(at, settings)); }};
}

template <typename Value>
struct Named {
    Value value;
    std::string_view key;
    std::string_view title = {};
};

// An option of a few named values; `what` it is, for the error: "division".
template <typename Settings, typename Value, typename At>
OptionOf<Settings> choiceOption(
    Option words, std::string_view what, std::vector<Named<Value>> values, At at) {
    for (const auto& one : values)
        words.choices.push_back({std::string(one.key), std::string(one.title)});
    OptionOf<Settings> option{std::move(words), {}};
    option.set
        = [what, values, known = option.words.choices, at](Settings& settings, const Texts& given) {
              if (given.empty()) {
                  const Settings usual{};
                  std::invoke(at, settings) = std::invoke(at, usual);
                  return Status();
              }
              for (const auto& one : values) {
                  if (one.key == given.back()) {
                      std::invoke(at, settings) = one.value;
                      return Status();
                  }
              }
              return Status(unknownChoice(what, given.back(), known));
          };
    option.get = [values = std::move(values), at](const Settings& settings) {
        for (const auto& one : values) {
            if (one.value == std::invoke(at, settings))
                return Texts{std::string(one.key)};
        }
        return Texts();
    };
    return option;
}

Result<plot::FigureStatistic> statisticNamed(const std::string& name);
// Usage where the metric has no such statistic, as a gauge has no total.
Status checkStatistic(plot::FigureStatistic statistic, const std::string& metric);
std::vector<plot::FigureChoice> allStatistics();

// An option of a statistic that may be absent.
template <typename Settings, typename At>
OptionOf<Settings> statisticOption(Option words, At at) {
    words.choices = allStatistics();
    return {std::move(words),
        [at](Settings& settings, const Texts& given) {
            std::invoke(at, settings).reset();
            return given.empty() ? Status()
                                 : assign(statisticNamed(given.back()), std::invoke(at, settings));
        },
        [at](const Settings& settings) {
            const auto& statistic = std::invoke(at, settings);
            return statistic ? Texts{std::string(toString(*statistic))} : Texts();
        }};
}

} // namespace trainscope::figures
