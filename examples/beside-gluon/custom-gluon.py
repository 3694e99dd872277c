"""custom-gluon.py — an operator of one's own, x / (1 + exp (−beta x)): registered, its gradient checked, used in a model, with MXNet."""
import mxnet as mx
import numpy


class Swish(mx.operator.CustomOp):
    def __init__(self, beta):
        super().__init__()
        self.beta = beta

    def forward(self, is_train, req, in_data, out_data, aux):
        x = in_data[0]
        self.assign(out_data[0], req[0], x / (1 + mx.nd.exp(-self.beta * x)))

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        x = in_data[0]
        s = 1 / (1 + mx.nd.exp(-self.beta * x))
        self.assign(in_grad[0], req[0], out_grad[0] * (s + self.beta * x * s * (1 - s)))


@mx.operator.register("swish")
class SwishProp(mx.operator.CustomOpProp):
    def __init__(self, beta="1"):
        super().__init__()
        self.beta = float(beta)

    def infer_shape(self, in_shape):
        return in_shape, in_shape, []

    def create_operator(self, ctx, shapes, dtypes):
        return Swish(self.beta)


x = numpy.array([-1, 0.5, 2], "float32")
swish = mx.sym.Custom(mx.sym.var("data"), op_type="swish", beta=1.5)
mx.test_utils.check_numeric_gradient(swish, {"data": x}, numeric_eps=1e-2, rtol=1e-2)
y = mx.gluon.SymbolBlock(swish, mx.sym.var("data"))(mx.nd.array(x)).asnumpy()
print(f"the gradient is right; {y[0]:.4f} {y[1]:.4f} {y[2]:.4f}")
