#pragma once
// A field of a form: what stands in it, how it can be changed, and why it cannot be so. A form is a
// list of them. GUI thread.

#include "app/viewmodels/text/Texts.h"
#include "app/viewmodels/window/RowListModel.h"

#include <QQmlEngine>

namespace trainscope::app {

struct FormField {
    QString key;
    QString label;
    QString text; // numbers with a point; of a slider in its unit, empty for what is usual
    QString hint = {}; // meaning of an empty field
    QString tip = {};
    QString section = {}; // above the field, where it is the first of one
    QStringList choices = {}; // options of a field that is chosen, not typed
    QString fault = {}; // reason that the value is impossible; empty: it is valid
    QString closed = {}; // reason that it cannot be changed; empty: it can
    QString shown = {}; // slider: value with its unit
    double low = 0.0; // ends of a slider, in its unit
    double high = 0.0;
    bool isSecret = false; // its text is not shown

    // As the reader types it.
    [[nodiscard]] QString typed() const { return choices.isEmpty() ? typedNumber(text) : text; }
    // −1 where nothing is chosen yet.
    [[nodiscard]] int current() const {
        const int least = text.isEmpty() ? -1 : 0;
        return std::max(static_cast<int>(choices.indexOf(text)), least);
    }
    [[nodiscard]] bool isSlider() const { return high > low; }
    [[nodiscard]] double place() const { return text.isEmpty() ? high : text.toDouble(); }
    bool operator==(const FormField&) const = default;
};
using FormFields = std::vector<FormField>;

// nullptr: there is none.
inline FormField* fieldIn(FormFields& fields, const QString& key) {
    const auto found = std::ranges::find(fields, key, &FormField::key);
    return found == fields.end() ? nullptr : &*found;
}
// There is one. `Fields`: FormFields, constant or not.
template <typename Fields>
auto& fieldAt(Fields& fields, const char* key) {
    return *std::ranges::find_if(
        fields, [key](const FormField& field) { return field.key == QLatin1String(key); });
}

// The words of a field that is a member of what the form asks for.
template <typename Member>
struct FieldOf {
    const char* key;
    const char* section;
    const char* label;
    const char* hint;
    const char* tip;
    Member member;
};

class FormModel : public RowListModel<FormField> {
    Q_OBJECT
    QML_ANONYMOUS

public:
    explicit FormModel(QObject* parent)
        : RowListModel({{"label", &FormField::label}, {"key", &FormField::key},
                           {"section", &FormField::section}, {"text", &FormField::typed},
                           {"hint", &FormField::hint}, {"tip", &FormField::tip},
                           {"fault", &FormField::fault}, {"closed", &FormField::closed},
                           {"shown", &FormField::shown}, {"choices", &FormField::choices},
                           {"current", &FormField::current}, {"slider", &FormField::isSlider},
                           {"low", &FormField::low}, {"high", &FormField::high},
                           {"place", &FormField::place}, {"secret", &FormField::isSecret}},
            parent) { }
};

} // namespace trainscope::app
