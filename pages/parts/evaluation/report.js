// A click on a point opens the review of its article, where the app's address is known.
const app = document.body.dataset.app;
for (const plot of app ? document.querySelectorAll("figure[data-review] .js-plotly-plot") : []) {
  plot.on("plotly_click", (event) => {
    const place = event.points[0]?.customdata;
    if (place) window.open(app + "/review?article=" + Number(place[0]), "_blank", "noopener");
  });
}
