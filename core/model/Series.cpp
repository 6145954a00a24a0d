#include "core/model/Series.h"

namespace trainscope { } // namespace trainscope
