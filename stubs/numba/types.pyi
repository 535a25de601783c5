"""The types that signatures are written with. A type called with argument types is a signature."""

from typing import Any

class Type:
    def __call__(self, *args: Any) -> Any: ...

class Float(Type): ...
class Integer(Type): ...
class Boolean(Type): ...

int16: Type
uint16: Type
int32: Type
int64: Type
float32: Type
boolean: Type
voidptr: Type
void: Type
none: Type

class UniTuple(Type):
    def __init__(self, dtype: Type, count: int) -> None: ...

# Called from Python only with the JIT off, where it is not made; inside kernels it is a foreign function.
def ExternalFunction(symbol: str, signature: Any) -> Any: ...

class Array(Type): ...
class BaseTuple(Type): ...
