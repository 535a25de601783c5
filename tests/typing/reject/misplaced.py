"""Something else where a layer should be, and layers whose types were lost."""

from __future__ import annotations

from bendtorch import Adam, CrossEntropy, Dim, Fork, Linear, ReLU, Repeat, Residual, Seq
from bendtorch.shapes.dims import N


# ---- not called, or not a layer
def not_a_layer(n: Dim[N]) -> None:
    Linear(n, 3, 4) >> ReLU  # E: >>: the right side is a function that makes a layer; call it with its sizes  [operator]
    Linear >> ReLU(n, 4)  # E: >>: the left side is a function that makes a layer; call it with its sizes  [operator]
    Linear(n, 3, 4) >> None  # E: >>: the right side is None; leave it out, or use Id for a layer that changes nothing  [operator]
    Linear(n, 3, 4) >> 5  # E: >>: the right side is int; give a layer  [operator]
    Linear(n, 3, 4) >> (lambda x: x)  # E: >>: the right side is Callable[[Any], Any]; give a layer  [operator]
    Linear(n, 3, 4) >> Seq  # E: >>: the right side is a function; call it  [operator]
    Linear(n, 3, 4) >> Adam  # E: >>: the right side is type[Adam]; give a layer  [operator]
    Linear(n, 3, 4) >> CrossEntropy(n, 4)  # E: >>: the right side is Loss[Mat[N, 4], Ids[N]]; a loss is no layer  [operator]
    Linear(n, 3, 4) >> (ReLU(n, 4), ReLU(n, 4))  # E: >>: the right side is a tuple; chain its layers with Seq(*layers)  [operator]
    Linear(n, 3, 4) >> [ReLU(n, 4), ReLU(n, 4)]  # E: >>: the right side is a list; use Repeat(k, layer) for equal layers, a >> b for others  [operator]
    Seq(Linear(n, 3, 4), ReLU)  # E: Seq: the second layer is a function that makes a layer; call it with its sizes  [call-overload]
    Seq(Linear, ReLU(n, 4), ReLU(n, 4))  # E: Seq: the first layer is a function that makes a layer; call it with its sizes  [call-overload]
    Seq(Linear(n, 3, 4), None)  # E: Seq: the second layer is None; leave it out, or use Id for a layer that changes nothing  [call-overload]
    Seq([ReLU(n, 4), ReLU(n, 4)])  # E: Seq: the argument is a list or tuple; give the layers one by one  [call-overload]
    Residual(ReLU)  # E: Residual: the layer is a function that makes a layer; call it with its sizes  [arg-type]
    Repeat(3, ReLU)  # E: Repeat: the layer is a function that makes a layer; call it with its sizes  [arg-type]
    Repeat(3, None)  # E: Repeat: the layer is None; leave it out, or use Id for a layer that changes nothing  [arg-type]
    Fork(ReLU(n, 4), Linear)  # E: Fork: "g" is a function that makes a layer; call it with its sizes  [arg-type]
    Fork(ReLU(n, 4), 4)  # E: Fork: "g" is int; give a layer  [arg-type]


# ---- different layers in a list or a dict
def lost_types(n: Dim[N]) -> None:
    layers = [Linear(n, 3, 4), ReLU(n, 4)]
    layers[0] >> layers[1]  # E: >>: the left side is an object; a list or dict of different layers forgets their types; use a tuple, a >> b, or Repeat for equal ones  [operator]
    Seq(*layers)  # E: Seq: the number of layers is not static; use Repeat(k, layer) for k layers of one kind, a tuple for different ones  [bend-dim]
    Seq(layers[0], layers[1])  # E: Seq: the first layer is an object; a list or dict of different layers forgets their types; use a tuple, a >> b, or Repeat for equal ones  [call-overload]
    Residual(layers[1])  # E: Residual: the layer is an object; a list or dict of different layers forgets their types; use a tuple, a >> b, or Repeat for equal ones  [arg-type]
    first, second = layers
    first >> second  # E: >>: the left side is an object; a list or dict of different layers forgets their types; use a tuple, a >> b, or Repeat for equal ones  [operator]
    for layer in layers:
        print(layer.fwd)  # E: the layer is an object; a list or dict of different layers forgets their types; use a tuple, a >> b, or Repeat for equal ones  [attr-defined]
    by_name = {"first": Linear(n, 3, 4), "second": ReLU(n, 4)}
    by_name["first"] >> by_name["second"]  # E: >>: the left side is an object; a list or dict of different layers forgets their types; use a tuple, a >> b, or Repeat for equal ones  [operator]
