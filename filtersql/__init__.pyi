from filtersql.api import Applied as Applied
from filtersql.api import Audits as Audits
from filtersql.api import Checks as Checks
from filtersql.api import Compiled as Compiled
from filtersql.api import Event as Event
from filtersql.api import Listing as Listing
from filtersql.api import Plan as Plan
from filtersql.api import Project as Project
from filtersql.api import Run as Run
from filtersql.api import Statuses as Statuses
from filtersql.api import Tests as Tests
from filtersql.errors import Mistake as Mistake
from filtersql.errors import Mistakes as Mistakes

__all__: list[str]
__version__: str
