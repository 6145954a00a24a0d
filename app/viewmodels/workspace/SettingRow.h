#pragma once
// One control of a view's tools: what can be chosen, and what is. Plain values; any thread.

#include <QString>
#include <QStringList>

#include <vector>

namespace trainscope::app {

struct SettingRow {
    QString key;
    QString label;
    QStringList choices; // of a switch none
    int current = 0; // of the choices; of a switch 0 or 1
    QString tip;
    bool isSwitch = false;
    [[nodiscard]] int count() const { return isSwitch ? 2 : static_cast<int>(choices.size()); }
    bool operator==(const SettingRow&) const = default;
};

// Whether one of the rows has that key and that choice.
bool canChoose(const std::vector<SettingRow>& rows, const QString& key, int choice);

} // namespace trainscope::app
