#pragma once
// Progress of long work as one value, whatever does it; UiProgressBar shows it.

#include "core/model/Import.h"

#include <QQmlEngine>
#include <QString>

namespace trainscope::app {

// Progress of a job, 0..1; −1: not known.
inline double fractionOf(const ProgressState& state) {
    if (state.bytesTotal == 0)
        return -1.0;
    return static_cast<double>(state.bytesDone) / static_cast<double>(state.bytesTotal);
}

struct WorkProgress {
    Q_GADGET
    QML_VALUE_TYPE(workProgress)
    Q_PROPERTY(QString text MEMBER text CONSTANT FINAL)
    Q_PROPERTY(double fraction MEMBER fraction CONSTANT FINAL)

public:
    QString text; // phase; may name a file
    double fraction = -1.0; // 0..1; below 0: not known
};

} // namespace trainscope::app
