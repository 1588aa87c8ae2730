from filtersql.api.answering import Failed as Failed
from filtersql.api.listener import Event as Event
from filtersql.api.project import Project as Project
from filtersql.api.records import Applied as Applied
from filtersql.api.records import Audits as Audits
from filtersql.api.records import Checks as Checks
from filtersql.api.records import Compiled as Compiled
from filtersql.api.records import Listing as Listing
from filtersql.api.records import Plan as Plan
from filtersql.api.records import Run as Run
from filtersql.api.records import Statuses as Statuses
from filtersql.api.records import Tests as Tests
from filtersql.errors import Mistake as Mistake
from filtersql.errors import Mistakes as Mistakes

__all__: list[str]
__version__: str
