/* traffic: the same arithmetic with fewer bytes: tiles of a matrix product, a fused chain of element-wise operations, one attention head
 * whose scores stay on the chip. Bytes are those between a small fast memory and the next one outwards; element_byte is the size of a
 * stored value. Valid for sizes ≥ 1. NAN in, NAN out; what no size can reach is NAN too. */
#ifndef RIDGE_TRAFFIC_H
#define RIDGE_TRAFFIC_H

#include "model/run.h"

/* Traffic of C = A·B, all n×n, computed in square tiles of C of side `tile`, each element of C written once (Lam, Rothberg, Wolf 1991):
 * every element of A and B is fetched n/tile times, 2 n³/tile + n² elements in all. A tile larger than n is n: the compulsory 3 n². */
double traffic_tile_byte(double n, double tile, double element_byte);

/* 2 n³ over that traffic. The rule of thumb leaves out C: tile / element_byte, T/4 in fp32. */
double traffic_tile_intensity(double n, double tile, double element_byte);
double traffic_tile_rule(double tile, double element_byte);

/* Bytes of the three tiles that must lie in the fast memory together: 3 tile². */
double traffic_tile_set(double tile, double element_byte);

/* The smallest power of two whose rule-of-thumb intensity reaches `ridge` FLOP/byte. */
double traffic_tile_ridge(double ridge, double element_byte);

/* Operations in a row from which a fused chain (1 FLOP each, one load and one store in all) reaches the ridge: ⌈2 · element_byte · ridge⌉.
 */
double traffic_chain_ridge(double ridge, double element_byte);

/* One head of `width`: intensity of n queries × n keys when the scores travel never exceeds width / element_byte, however long; NAN from
 * traffic_attention_ridge when that is below the ridge. Fused it is n / element_byte. */
double traffic_attention_limit(double width, double element_byte);
double traffic_attention_ridge(double ridge, double width, double element_byte); /* the shortest n that reaches it, scores travelling */
double traffic_attention_fused_ridge(double ridge, double element_byte);         /* the same, scores staying */

/* The most FLOP per byte of main memory that a rung's loop order allows on n×n matrices: a bound from what stays in registers and one row
 * or block in a near cache. plain: two fetches for each multiply-add. reordered: one, the rows of C stay. tiled: C goes to and fro once
 * for every 64 steps of k, A once for every 2048 bytes of columns. The rest: no more than each matrix once. */
double traffic_rung_intensity(enum rung rung, double n, double element_byte);

#endif
