/* body_matmul: the matrix product's inner loops. Included by body.h once per data type: no guard. */
