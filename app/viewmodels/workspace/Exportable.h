#pragma once
// A view that can be written to a file.

#include <QObject>
#include <QQmlEngine>
#include <QString>
#include <QStringList>

#include "app/painting/FigureExport.h"
#include "core/model/Result.h"

#include <functional>

namespace trainscope::app {

// What to write, with copies of all that it needs.
struct ExportJob {
    QString name; // of the file, without suffix; may hold what files cannot
    // Write to a path; asked between steps whether to stop. The value are warnings. An absent one
    // means there is nothing to write.
    std::function<Result<QStringList>(
        const QString& path, const FigureOptions& options, const std::function<bool()>& stop)>
        drawing;
    std::function<Status(const QString& path, const std::function<bool()>& stop)> numbers;
    // The drawing needs the GUI thread (Qt Charts); it is quick then.
    bool inGuiThread = false;
};

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
