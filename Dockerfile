FROM python:3.11.16-slim-bookworm@sha256:a36c24f9cbdf4fd0f52d67f0823eeac19c2028c637cecc392d97f980d4fec56b AS build

ENV UV_PROJECT_ENVIRONMENT=/opt/referee \
    UV_PYTHON_DOWNLOADS=never \
    UV_COMPILE_BYTECODE=1 \
    UV_LINK_MODE=copy
WORKDIR /src
RUN pip install --no-cache-dir uv==0.13.9
# Dependencies change less often than our code, so their layer comes first.
COPY pyproject.toml uv.lock ./
RUN uv sync --frozen --no-dev --no-install-project
COPY LICENSE README.md openapi.yaml ./
COPY engines engines
COPY distributions/worker distributions/worker
COPY service service
COPY seeds seeds
COPY deploy/gunicorn.conf.py deploy/
COPY docs docs
RUN uv sync --frozen --no-dev --no-editable


FROM python:3.11.16-slim-bookworm@sha256:a36c24f9cbdf4fd0f52d67f0823eeac19c2028c637cecc392d97f980d4fec56b

COPY --from=build /opt/referee /opt/referee
RUN useradd --system --uid 10001 --home-dir /var/lib/rules-referee --create-home referee
USER 10001
WORKDIR /var/lib/rules-referee
VOLUME /var/lib/rules-referee
ARG COMMIT=
ENV PATH=/opt/referee/bin:$PATH \
    REFEREE_COMMIT=$COMMIT \
    PYTHONUNBUFFERED=1 \
    REFEREE_HOST=0.0.0.0 \
    REFEREE_STORE_URL=sqlite:////var/lib/rules-referee/sessions.sqlite3
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["python", "-c", "\
from urllib.request import urlopen; from service.config import Serving; \
urlopen(f'http://127.0.0.1:{Serving.from_environment().port}/livez', timeout=2)"]
CMD ["referee", "serve"]
