#pragma once
// The overview of the chosen run, of several the first: its page, and the places that prove its
// sentences. GUI thread.

#include <QQmlEngine>

#include "app/viewmodels/workspace/DrawnView.h"
#include "core/plot/overview/OverviewFigure.h"

namespace trainscope::app {

using OverviewPtr = KeptPages<plot::OverviewFigureData>::Page;

class OverviewController : public trainscope::app::DrawnView {
    Q_OBJECT
    QML_ELEMENT

public:
    explicit OverviewController(QObject* parent = nullptr);

    [[nodiscard]] bool isReady() const override { return m_data != nullptr && !m_data->isEmpty(); }
    [[nodiscard]] ExportJob exportJob() const override;
    [[nodiscard]] const OverviewPtr& data() const { return m_data; }
    // Opens the place that proves a sentence; behind the last one the findings.
    void prove(std::size_t sentence);

private:
    void restore() override { load(); }
    void forget() override;
    void load() override;
    void readGrowth() override;
    void nothingRead() override { show(nullptr); }
    [[nodiscard]] figures::Figure figure() const override;
    [[nodiscard]] plot::SheetTexts texts() const override;
    void chooseOffered(std::size_t choice) override { prove(choice); }
    [[nodiscard]] bool isTitleDrawn() const override { return true; }
    [[nodiscard]] QString choosingText() const override {
        return QStringLiteral("Show what proves it");
    }

    void keep(plot::OverviewFigureData data) { show(m_kept.keep(std::move(data))); }
    void show(OverviewPtr data);
    void showBesideTheRunBefore(const std::string& before);

    KeptPages<plot::OverviewFigureData> m_kept;
    OverviewPtr m_data;
};

} // namespace trainscope::app
