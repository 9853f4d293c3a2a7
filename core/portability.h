#pragma once

// The only portability macro: functions on plain structs that run on CPU cores and, compiled by nvcc, in kernels.
#ifdef __CUDACC__
#define WARI_HD __host__ __device__
#else
#define WARI_HD
#endif
