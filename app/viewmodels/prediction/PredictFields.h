#pragma once
// The fields of the form that asks for a prediction, from a request and back. Plain functions.

#include <QString>
#include <QStringList>

#include "core/predict/prediction/JobRequest.h"

#include <vector>

namespace trainscope::app {

struct PredictField {
    QString key;
    QString section; // above the field, where it is the first of one
    QString label;
    QString text; // numbers with a point; of a slider in its unit, empty for what is usual
    QString hint; // what an empty field means
    QString tip;
    QString fault; // why it cannot be, in words; empty: it can
    QString shown = {}; // of a slider, with its unit
    QStringList choices = {}; // of a field that is chosen, not typed
    double low = 0.0; // ends of a slider, in its unit
    double high = 0.0;

    [[nodiscard]] QString typed() const; // as the reader types it
    [[nodiscard]] int current() const { return static_cast<int>(choices.indexOf(text)); }
    [[nodiscard]] bool isSlider() const { return high > low; }
    [[nodiscard]] double place() const { return text.isEmpty() ? high : text.toDouble(); }
    bool operator==(const PredictField&) const = default;
};

using PredictFields = std::vector<PredictField>;

namespace field_key {
inline constexpr auto kModel = "model";
inline constexpr auto kWorkload = "workload";
inline constexpr auto kGpu = "gpu";
inline constexpr auto kNodes = "nodes";
inline constexpr auto kPerNode = "gpus_per_node";
inline constexpr auto kNetwork = "network";
inline constexpr auto kPower = "power_limit";
inline constexpr auto kClock = "clock";
} // namespace field_key

QString noModel(); // what the field of the model says before one is chosen
predict::JobRequest usualRequest(); // without a model
// `models`: to be chosen from.
// What a workload has not is left away.
PredictFields predictFields(const predict::JobRequest& request, const QStringList& models);
// Workload that its field tells.
Workload workloadOf(PredictFields& fields);

PredictField* fieldIn(PredictFields& fields, const QString& key); // nullptr: there is none
PredictField& fieldAt(PredictFields& fields, const char* key); // there is one
const catalogue::GpuModel& gpuOf(PredictFields& fields);
const catalogue::GpuModel* gpuNamed(const QString& name); // nullptr: there is none
// Ends and words of the sliders, by the GPU.
void setSliders(PredictFields& fields);
// False where a field cannot be read, which gets a fault; `begun`: the request that the form began
// with. The model is in `request` already.
bool readFields(
    PredictFields& fields, const predict::JobRequest& begun, predict::JobRequest& request);
// True for a field that tells the layout, its micro-batch or recomputation.
bool isOfLayout(const QString& key);

} // namespace trainscope::app
