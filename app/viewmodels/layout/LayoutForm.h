#pragma once
// The form that enters a layout by hand: what is in its fields, whether it fits, and the keeping of
// it in the database. GUI thread.

#include <QQmlEngine>

#include "app/viewmodels/window/FormField.h"
#include "core/layout/Layout.h"

namespace trainscope::app {

class LayoutForm : public FormModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Belongs to the layout.")
    // Problem of the form, or the layout that it makes.
    Q_PROPERTY(bool fits READ fits NOTIFY checked FINAL)
    Q_PROPERTY(QString verdict READ verdict NOTIFY checked FINAL)

public:
    explicit LayoutForm(QObject* parent = nullptr);

    // Begins with this request; `world`: ranks that the run shows, 0: not known.
    void begin(const layout::LayoutRequest& request, int world);
    Q_INVOKABLE void set(const QString& key, const QString& text);

    [[nodiscard]] bool fits() const { return m_fits; }
    [[nodiscard]] QString verdict() const { return m_verdict; }
    [[nodiscard]] const layout::LayoutRequest& request() const { return m_request; }

Q_SIGNALS:
    void checked();

private:
    void check(FormFields fields);

    layout::LayoutRequest m_begun; // parts without a field stay as in it
    layout::LayoutRequest m_request;
    int m_world = 0;
    bool m_fits = false;
    QString m_verdict;
};

} // namespace trainscope::app
