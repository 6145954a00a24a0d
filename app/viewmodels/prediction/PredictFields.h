#pragma once
// The fields of the form that asks for a prediction, from a request and back. Plain functions.

#include "app/viewmodels/window/FormField.h"
#include "core/predict/prediction/RunRequest.h"
#include "core/predict/prediction/Training.h"

namespace trainscope::app {

namespace field_key {
inline constexpr auto kModel = "model";
inline constexpr auto kWorkload = "workload";
inline constexpr auto kGpu = "gpu";
inline constexpr auto kNodes = "nodes";
inline constexpr auto kPerNode = "gpus_per_node";
inline constexpr auto kNetwork = "network";
inline constexpr auto kPower = "power_limit";
inline constexpr auto kClock = "clock";
inline constexpr auto kTokens = "tokens";
} // namespace field_key

predict::JobRequest usualRequest(); // the example that a form begins with
// `models`: to be chosen from.
// Fields that a workload does not have are left out.
FormFields predictFields(const predict::JobRequest& request, const QStringList& models);
// Workload that its field tells.
Workload workloadOf(FormFields& fields);

const catalogue::GpuModel& gpuOf(FormFields& fields);
const catalogue::GpuModel* gpuNamed(const QString& name); // nullptr: there is none
// Empties the fields of what is not known; they get a fault until they are filled.
void clearFields(FormFields& fields, predict::JobFact fact);
inline const QString kChosen = QStringLiteral("Not known: choose one.");
// Ends and words of the sliders, by the GPU.
void setSliders(FormFields& fields);
// Says of each field that does not apply why it is closed; absent: the request cannot be read.
void closeFields(FormFields& fields, const std::optional<predict::JobRequest>& request);
// Training that the fields ask for: nothing of inference, which has no such fields. Those that
// cannot be read get a fault and ask for nothing.
predict::TrainingAsked trainingOf(FormFields& fields);
bool isOfTraining(const QString& key);
// False where a field cannot be read, which gets a fault; `begun`: the request that the form began
// with. The model is in `request` already.
bool readFields(FormFields& fields, const predict::JobRequest& begun, predict::JobRequest& request);
// True for a field that tells the layout, its micro-batch or recomputation.
bool isOfLayout(const QString& key);

namespace field_key {
inline constexpr auto kAgainst = "against_gpu";
inline constexpr auto kAgainstNodes = "against_nodes";
inline constexpr auto kAgainstPerNode = "against_per_node";
} // namespace field_key

void addAgainstFields(FormFields& fields, const QStringList& gpus);
bool isOfAgainst(const QString& key);
// As much memory as the job's GPUs have together, in whole nodes as usual, where another GPU was
// chosen than `before`.
void fitAgainst(FormFields& fields, const QString& before);
// Absent where none is chosen; what cannot be read gets a fault.
std::optional<predict::ClusterRequest> againstOf(FormFields& fields);

} // namespace trainscope::app
