// Before the first paint, so that a chosen theme does not flash: this one file is no module and stands in the head.
{
  let theme = null;
  try {
    theme = localStorage.getItem("wari.theme");
  } catch {
    // Without storage the system's choice holds.
  }
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}
