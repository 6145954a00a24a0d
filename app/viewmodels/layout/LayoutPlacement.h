#pragma once
// A placement of stages on GPUs that allows for heat, an estimate; or why there is none. GUI
// thread.

#include <QObject>
#include <QQmlEngine>

#include "app/viewmodels/layout/LayoutReading.h"
#include "app/viewmodels/workspace/FactListModel.h"

namespace trainscope::app {

class LayoutPlacement : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Belongs to the layout.")
    Q_PROPERTY(QString title READ title NOTIFY changed FINAL)
    Q_PROPERTY(QString text READ text NOTIFY changed FINAL)
    Q_PROPERTY(bool helps READ helps NOTIFY changed FINAL) // there are arguments to copy
    Q_PROPERTY(trainscope::app::FactListModel* facts READ facts CONSTANT FINAL)
    // Its diagram, before and after, is among the others.
    Q_PROPERTY(bool shown READ isShown WRITE setShown NOTIFY shownChanged FINAL)

public:
    explicit LayoutPlacement(LayoutContext& context, QObject* parent = nullptr)
        : QObject(parent)
        , m_context(context) { }

    [[nodiscard]] QString title() const;
    [[nodiscard]] QString text() const;
    [[nodiscard]] bool helps() const;
    [[nodiscard]] FactListModel* facts() { return &m_facts; }
    [[nodiscard]] bool isShown() const { return m_context.isPlacementShown; }
    void setShown(bool shown);
    Q_INVOKABLE [[nodiscard]] QString launchArguments() const;
    // The context has another reading.
    void refresh();

Q_SIGNALS:
    void changed();
    void shownChanged();

private:
    [[nodiscard]] const analysis::Placement* placement() const;

    LayoutContext& m_context;
    FactListModel m_facts;
};

} // namespace trainscope::app
