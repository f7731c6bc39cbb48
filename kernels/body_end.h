/* body_end: forgets what body_vector.h and body.h defined for one data type, so that the next can come. */
#undef VEC
#undef LANES
#undef VEC_LOAD
#undef VEC_STORE
#undef VEC_SPLAT
#undef VEC_LANE
#undef REAL
#undef REAL_BITS
#undef REAL_TAG
#undef REAL_BYTE
