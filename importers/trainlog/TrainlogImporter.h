#pragma once
// Training logs: Megatron-LM, Megatron-DeepSpeed, GPT-NeoX, NeMo and Lightning, torchtitan,
// nanochat, nanoGPT and their descendants, torchtune, MaxText, Composer, verl, DeepSpeed-Chat,
// Hugging Face's Trainer, MLPerf, JSON lines and tables (Dialects.cpp).
//
// Each line of an iteration gives marks on the timeline and samples of the run: loss, gradient
// norm, learning rate, step time, tokens and samples per second, reported throughput, and every
// other value under its own name. The arguments that the program printed become the launch
// configuration.
//
// Clock: stamps without zone are local time and stay as written unless the unit says an offset;
// MLPerf's are unix time. A log without stamps counts from `start`, where that is said or found
// (LoggedWork.h), else from 1970, and says so. Values are written at the end of their iteration.

#include "importers/common/Importer.h"

namespace trainscope::importers::trainlog {

const Importer& importer();

} // namespace trainscope::importers::trainlog
