#pragma once
// A setting of a view as one value: its key, how it is read and written, and the control that
// offers its choices now. A list of them makes the rows of a view's tools, takes a choice, and is
// remembered as JSON; so are those of the views of figures. Any thread; the model of the rows is of
// the GUI thread.

#include "app/viewmodels/window/RowListModel.h"
#include "app/viewmodels/workspace/Views.h"
#include "core/figures/Option.h"

#include <QJsonValue>
#include <QQmlEngine>

namespace trainscope::app {

struct SettingRow {
    QString key;
    QString label;
    QStringList choices; // empty for a switch
    int current = 0; // index of the choice; switch: 0 or 1
    QString tip;
    bool isSwitch = false;
    [[nodiscard]] int count() const { return isSwitch ? 2 : static_cast<int>(choices.size()); }
    bool operator==(const SettingRow&) const = default;
};

SettingRow choiceRow(const char* key, const QString& label, QStringList choices, int current,
    const QString& tip = {});

class SettingListModel : public RowListModel<SettingRow> {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Comes from the view.")

public:
    explicit SettingListModel(QObject* parent = nullptr);
};

struct SettingChoice {
    QString title;
    QJsonValue value;
};
std::vector<SettingChoice> settingChoices(const std::vector<plot::FigureChoice>& choices);

struct SettingControl {
    QString label;
    QString tip = {};
    std::vector<SettingChoice> choices = {};
    std::optional<int> current = {}; // absent: the choice of the setting's value, else the first
    bool isSwitch = false; // choices are false and true
};
inline SettingControl switchControl(QString label, QString tip) {
    return {std::move(label), std::move(tip),
        {{QString(), QJsonValue(false)}, {QString(), QJsonValue(true)}}, {}, true};
}

template <typename Settings, typename Offers>
struct Setting {
    QString key; // key of its control
    std::function<QJsonValue(const Settings&)> get; // absent: it is no part of the settings
    // A value that cannot be understood becomes the default.
    std::function<void(Settings&, const QJsonValue&)> set = {};
    // Absent, or nothing: none now.
    std::function<std::optional<SettingControl>(const Settings&, const Offers&)> control = {};
    QString keptAs = {}; // its name in JSON; empty: the key
};

// An option of the figures, as a setting: remembered as a bool where it is a switch, else as its
// texts, joined by commas.
QJsonValue optionValue(const figures::Option& words, const figures::Texts& texts);
figures::Texts optionTexts(const figures::Option& words, const QJsonValue& value);
QString optionKey(const figures::Option& words); // "whole_run"
// Nothing for an option that the window does not offer.
std::optional<SettingControl> optionControl(
    const figures::Option& words, const std::vector<plot::FigureChoice>& choices);

template <typename Part>
void takeOption(const figures::OptionOf<Part>& option, Part& part, const QJsonValue& value) {
    if (!option.set(part, optionTexts(option.words, value)).hasValue())
        static_cast<void>(option.set(part, {}));
}

template <typename Part>
std::optional<SettingControl> optionControl(
    const figures::OptionOf<Part>& option, const Part& part) {
    return optionControl(
        option.words, option.choicesNow ? option.choicesNow(part) : option.words.choices);
}

// A setting of a part of the view's settings; its control is there always.
template <typename Settings, typename Offers, typename Part>
Setting<Settings, Offers> settingOf(const figures::OptionOf<Part>& option, Part Settings::*part) {
    return {optionKey(option.words),
        [option, part](
            const Settings& all) { return optionValue(option.words, option.get(all.*part)); },
        [option, part](
            Settings& all, const QJsonValue& value) { takeOption(option, all.*part, value); },
        [option, part](
            const Settings& all, const Offers&) { return optionControl(option, all.*part); }};
}

template <typename Settings, typename Offers>
class SettingList {
public:
    using One = Setting<Settings, Offers>;
    SettingList(std::vector<One> all)
        : m_all(std::move(all)) { }

    [[nodiscard]] std::vector<SettingRow> rows(
        const Settings& settings, const Offers& offers) const {
        std::vector<SettingRow> rows;
        for (const One& one : m_all) {
            const auto control = controlOf(one, settings, offers);
            if (!control)
                continue;
            SettingRow row{one.key, control->label, {}, 0, control->tip, control->isSwitch};
            int place = 0;
            const QJsonValue value = one.get ? one.get(settings) : QJsonValue();
            for (const SettingChoice& choice : control->choices) {
                if (choice.value == value)
                    row.current = place;
                if (!control->isSwitch)
                    row.choices.append(choice.title);
                ++place;
            }
            row.current = control->current.value_or(row.current);
            rows.push_back(std::move(row));
        }
        return rows;
    }
    // The settings after that choice; unknown keys and choices change nothing.
    [[nodiscard]] Settings with(
        const Settings& settings, const Offers& offers, const QString& key, int choice) const {
        Settings changed = settings;
        for (const One& one : m_all) {
            const auto control
                = one.key == key && one.set ? controlOf(one, settings, offers) : std::nullopt;
            if (control && choice >= 0 && choice < static_cast<int>(control->choices.size()))
                one.set(changed, control->choices[static_cast<std::size_t>(choice)].value);
        }
        return changed;
    }
    [[nodiscard]] QJsonObject kept(const Settings& settings) const {
        QJsonObject json;
        for (const One& one : m_all) {
            if (one.get)
                json.insert(nameOf(one), one.get(settings));
        }
        return json;
    }
    // In their order, so that one may build on those before it.
    [[nodiscard]] Settings restored(Settings settings, const QJsonObject& json) const {
        for (const One& one : m_all) {
            if (one.set && json.contains(nameOf(one)))
                one.set(settings, json.value(nameOf(one)));
        }
        return settings;
    }

private:
    [[nodiscard]] static const QString& nameOf(const One& one) {
        return one.keptAs.isEmpty() ? one.key : one.keptAs;
    }
    [[nodiscard]] static std::optional<SettingControl> controlOf(
        const One& one, const Settings& settings, const Offers& offers) {
        return one.control ? one.control(settings, offers) : std::nullopt;
    }

    std::vector<One> m_all;
};

struct FigureSettings {
    plot::FigureQuery query; // without runs
    bool shownRunsOnly = true; // else all runs of the database
    bool operator==(const FigureSettings&) const = default;
};

// The view of figures that shows those of that kind; absent: none.
std::optional<Views::View> viewOf(plot::FigureKind kind);
// Settings of a view before anything is chosen.
FigureSettings defaultSettings(Views::View view);
// The settings of these views, with what metrics the database has.
using FigureSettingList = SettingList<FigureSettings, std::vector<plot::FigureChoice>>;
const FigureSettingList& figureSettings();
// Those of another view become the default.
FigureSettings restoredSettings(Views::View view, const QJsonObject& json);

} // namespace trainscope::app
