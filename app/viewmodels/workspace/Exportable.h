#pragma once
// A view that can be written to a file.

#include <QObject>
#include <QQmlEngine>
#include <QString>
#include <QStringList>

#include "core/figures/Figure.h"
#include "core/model/Result.h"

#include <functional>
#include <vector>

namespace trainscope::app {

// A part of a figure that can be left out: a panel of a board.
struct ExportPart {
    QString key; // value of the option "panels"
    QString title;
    bool isShown = true; // shown by the view
};
// A figure to write, with copies of all that it needs.
struct ExportJob {
    QString name; // file name, without suffix; may hold characters that files cannot
    std::vector<ExportPart> parts; // the request names those that are wanted; empty: no choice
    // Reads or makes it, for a file of that size; absent: there is nothing to write.
    std::function<Result<figures::Figure>(const figures::Request& request, const Progress&)> figure;
};
// Job for a figure that has been made; the file is named by the view and the figure's runs.
ExportJob exportJobOf(const QString& view, figures::Figure figure);

class Exportable : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("A view is one.")
    // Titles of its figures where it can write several, and the chosen one.
    Q_PROPERTY(QStringList figures READ figures NOTIFY figuresChanged FINAL)
    Q_PROPERTY(int figure READ chosenFigure WRITE setFigure NOTIFY figuresChanged FINAL)

public:
    using QObject::QObject;
    [[nodiscard]] virtual QStringList figures() const { return {}; }
    [[nodiscard]] int chosenFigure() const { return m_figure; }
    void setFigure(int figure) {
        m_figure = figure;
        Q_EMIT figuresChanged();
    }
    // GUI thread; the job itself may run in any.
    [[nodiscard]] virtual ExportJob exportJob() const = 0;

Q_SIGNALS:
    void figuresChanged();

private:
    int m_figure = 0;
};

} // namespace trainscope::app
