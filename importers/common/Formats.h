#pragma once
// The formats, each defined in the folder of its name, where its assumptions about clocks and units
// stand as well. Registry.h lists them in the order in which they are asked.

#include "importers/common/Importer.h"

namespace trainscope::importers {

// clang-format off
namespace charllm { extern const Importer kImporter; }
namespace exectrace { extern const Importer kImporter; }
namespace exported { extern const Importer kImporter; }
namespace flightrecorder { extern const Importer kImporter; }
namespace kineto { extern const Importer kImporter; }
namespace memorysnapshot { extern const Importer kImporter; }
namespace meters { extern const Importer kLogImporter, kGpuImporter, kNodeImporter; }
namespace nccl { extern const Importer kImporter, kInspectorImporter; }
namespace nsys { extern const Importer kImporter; }
namespace nsysstats { extern const Importer kImporter; }
namespace operations { extern const Importer kImporter; }
namespace perfetto { extern const Importer kImporter; }
namespace rocprof { extern const Importer kImporter; }
namespace topology { extern const Importer kImporter; }
namespace tracker { extern const Importer kWandbImporter, kEventsImporter, kMlflowImporter; }
namespace trainlog { extern const Importer kImporter; }
namespace xplane { extern const Importer kImporter; }
// clang-format on

} // namespace trainscope::importers
