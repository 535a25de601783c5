from typing import Any

class Lower:
    function: Any
    def lower_normal_function(self, fndesc: Any) -> None: ...
