/* body_ops: the inner loops of the element-wise and row-wise operations. Included by body.h once per data type: no guard. */
