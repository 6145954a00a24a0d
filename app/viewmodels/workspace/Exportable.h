#pragma once
// A view that can be written to a file.

#include <QObject>
#include <QQmlEngine>
#include <QString>

#include "core/figures/Figure.h"
#include "core/model/Result.h"

#include <functional>

namespace trainscope::app {

// A figure to write, with copies of all that it needs.
struct ExportJob {
    QString name; // of the file, without suffix; may hold what files cannot
    // Reads or makes it, for a file of that size; absent: there is nothing to write.
    std::function<Result<figures::Figure>(const figures::Request& request, const Progress&)> figure;
};
// Job for a figure that has been made.
ExportJob exportJobOf(QString name, figures::Figure figure);

class Exportable : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("A view is one.")

public:
    using QObject::QObject;
    // GUI thread; the job itself may run in any.
    [[nodiscard]] virtual ExportJob exportJob() const = 0;
};

} // namespace trainscope::app
