#pragma once
// A short list of labelled values for the inspector, with section heads among them. GUI thread.

#include <QQmlEngine>
#include <QString>

#include "app/viewmodels/window/RowListModel.h"

#include <vector>

namespace trainscope::app {

struct Fact {
    QString label;
    QString value; // ready to read, with its unit
    bool isHead = false;
    QString note = {}; // on the value, less important
    bool operator==(const Fact&) const = default;
};

class FactListModel : public RowListModel<Fact> {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Comes from the inspector.")

public:
    explicit FactListModel(QObject* parent = nullptr);
    [[nodiscard]] const std::vector<Fact>& facts() const { return rows(); }
    void setFacts(std::vector<Fact> facts) { setRows(std::move(facts)); }
    // "label<tab>value" lines, with a note "label<tab>value<tab>note".
    [[nodiscard]] QString text() const;
};

} // namespace trainscope::app
