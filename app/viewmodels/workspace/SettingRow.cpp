#include "app/viewmodels/workspace/SettingRow.h"

#include <algorithm>

namespace trainscope::app {

bool canChoose(const std::vector<SettingRow>& rows, const QString& key, int choice) {
    return std::any_of(rows.begin(), rows.end(), [&key, choice](const SettingRow& row) {
        return row.key == key && choice >= 0 && choice < row.count();
    });
}

} // namespace trainscope::app
